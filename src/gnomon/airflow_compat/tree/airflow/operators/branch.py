"""`airflow.operators.branch`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseBranchOperator, BranchMixIn

__all__ = ["BaseBranchOperator", "BranchMixIn"]
__getattr__ = make_getattr(__name__)
