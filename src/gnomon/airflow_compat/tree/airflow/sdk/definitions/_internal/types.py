"""`airflow.sdk.definitions._internal.types`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import ArgNotSet, NOTSET

__all__ = ["ArgNotSet", "NOTSET"]
__getattr__ = make_getattr(__name__)
