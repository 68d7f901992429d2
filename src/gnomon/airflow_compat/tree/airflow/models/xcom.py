"""`airflow.models.xcom`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.xcom_arg import XCOM_RETURN_KEY

__all__ = ["XCOM_RETURN_KEY"]
__getattr__ = missing(__name__)
