"""`airflow.operators.branch_operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseBranchOperator

__all__ = ["BaseBranchOperator"]
__getattr__ = missing(__name__)
