"""`airflow.utils.process_utils`."""

import contextlib as _contextlib
import os as _os

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["patch_environ"]


@_contextlib.contextmanager
def patch_environ(new_env_variables):
    """These environment variables hold inside the block; a value of None takes the variable away."""
    before = {name: _os.environ.get(name) for name in new_env_variables}  # noqa: TID251 - a program started inside reads them
    try:
        _set(new_env_variables)
        yield
    finally:
        _set(before)


def _set(variables):
    for name, value in variables.items():
        if value is None:
            _os.environ.pop(name, None)  # noqa: TID251
        else:
            _os.environ[name] = value  # noqa: TID251


__getattr__ = make_getattr(__name__)
