"""`airflow.sdk.definitions._internal.types`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import ArgNotSet, NOTSET

__all__ = ["ArgNotSet", "NOTSET"]
__getattr__ = missing(__name__)
