"""`airflow.providers.standard.operators.python`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator, get_current_context

__all__ = ["BranchPythonOperator", "PythonOperator", "ShortCircuitOperator", "get_current_context"]
__getattr__ = missing(__name__)
