"""`airflow.models.xcom_arg`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import XComArg

__all__ = ["XComArg"]
__getattr__ = missing(__name__)
