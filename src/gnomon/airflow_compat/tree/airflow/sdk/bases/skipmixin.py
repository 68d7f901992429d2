"""`airflow.sdk.bases.skipmixin`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import SkipMixin

__all__ = ["SkipMixin"]
__getattr__ = missing(__name__)
