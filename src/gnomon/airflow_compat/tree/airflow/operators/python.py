"""`airflow.operators.python`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator, get_current_context
from gnomon.operators.virtualenv import (
    BranchExternalPythonOperator,
    BranchPythonVirtualenvOperator,
    ExternalPythonOperator,
    PythonVirtualenvOperator,
)

__all__ = [
    "BranchExternalPythonOperator",
    "BranchPythonOperator",
    "BranchPythonVirtualenvOperator",
    "ExternalPythonOperator",
    "PythonOperator",
    "PythonVirtualenvOperator",
    "ShortCircuitOperator",
    "get_current_context",
]
__getattr__ = make_getattr(__name__)
