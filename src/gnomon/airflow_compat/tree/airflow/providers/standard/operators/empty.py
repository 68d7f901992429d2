"""`airflow.providers.standard.operators.empty`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.empty import EmptyOperator

__all__ = ["EmptyOperator"]
__getattr__ = make_getattr(__name__)
