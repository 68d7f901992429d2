"""`airflow.operators.dummy_operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.empty import EmptyOperator as DummyOperator, EmptyOperator

__all__ = ["DummyOperator", "EmptyOperator"]
__getattr__ = missing(__name__)
