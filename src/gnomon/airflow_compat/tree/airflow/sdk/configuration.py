"""`airflow.sdk.configuration`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.configuration import conf

__all__ = ["conf"]
__getattr__ = missing(__name__)
