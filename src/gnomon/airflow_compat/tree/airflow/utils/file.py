"""`airflow.utils.file`."""

import os as _os
from tempfile import TemporaryDirectory

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["TemporaryDirectory", "mkdirs"]


def mkdirs(path, mode):
    """The folder exists, with those above it."""
    _os.makedirs(path, mode=mode, exist_ok=True)


__getattr__ = make_getattr(__name__)
