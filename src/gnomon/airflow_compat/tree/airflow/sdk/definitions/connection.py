"""`airflow.sdk.definitions.connection`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import Connection

__all__ = ["Connection"]
__getattr__ = missing(__name__)
