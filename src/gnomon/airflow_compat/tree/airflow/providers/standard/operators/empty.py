"""`airflow.providers.standard.operators.empty`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.empty import EmptyOperator

__all__ = ["EmptyOperator"]
__getattr__ = missing(__name__)
