"""`airflow.operators.branch`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseBranchOperator, BranchMixIn

__all__ = ["BaseBranchOperator", "BranchMixIn"]
__getattr__ = missing(__name__)
