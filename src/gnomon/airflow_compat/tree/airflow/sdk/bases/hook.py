"""`airflow.sdk.bases.hook`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseHook

__all__ = ["BaseHook"]
__getattr__ = missing(__name__)
