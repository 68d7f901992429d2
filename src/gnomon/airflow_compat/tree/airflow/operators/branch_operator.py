"""`airflow.operators.branch_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseBranchOperator

__all__ = ["BaseBranchOperator"]
__getattr__ = make_getattr(__name__)
