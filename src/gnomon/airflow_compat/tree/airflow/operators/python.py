"""`airflow.operators.python`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator, get_current_context

__all__ = ["BranchPythonOperator", "PythonOperator", "ShortCircuitOperator", "get_current_context"]
__getattr__ = make_getattr(__name__)
