"""`airflow.providers.standard.operators.hitl`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.hitl import ApprovalOperator, HITLBranchOperator, HITLEntryOperator, HITLOperator

__all__ = ["ApprovalOperator", "HITLBranchOperator", "HITLEntryOperator", "HITLOperator"]
__getattr__ = make_getattr(__name__)
