"""`airflow.utils.session`: tasks have no session of the database here; what wants one says so when it is called."""

import contextlib as _contextlib
import functools as _functools

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.stand_ins import NotSupported as _NotSupported

__all__ = ["NEW_SESSION", "create_session", "provide_session"]

NEW_SESSION = None
_WHY = (
    "DAG files and tasks have no session of Gnomon's database. Ask through the task's context "
    "(ti.xcom_pull, ti.get_previous_dagrun, Variable, Connection), in a test through the run that dag.test() returns. See docs/reference/airflow-coverage.md."
)


@_contextlib.contextmanager
def create_session(scoped=True):  # noqa: ARG001
    """Raises NotSupported."""
    raise _NotSupported(f"create_session() cannot be used: {_WHY}")
    yield


def provide_session(func):
    """A function that raises NotSupported when it is called without a session of its own."""

    @_functools.wraps(func)
    def call(*args, **kwargs):
        if kwargs.get("session") is None:
            raise _NotSupported(f"{func.__name__}() asks for a database session: {_WHY}")
        return func(*args, **kwargs)

    return call


__getattr__ = make_getattr(__name__)
