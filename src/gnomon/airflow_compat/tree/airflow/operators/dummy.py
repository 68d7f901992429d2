"""`airflow.operators.dummy`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.empty import EmptyOperator as DummyOperator, EmptyOperator

__all__ = ["DummyOperator", "EmptyOperator"]
__getattr__ = make_getattr(__name__)
