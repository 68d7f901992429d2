"""`airflow.utils.hashlib_wrapper`."""

import hashlib as _hashlib

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["md5"]


def md5(data=b"", /):
    """The MD5 digest, for names and not for security."""
    return _hashlib.md5(data, usedforsecurity=False)


__getattr__ = make_getattr(__name__)
