"""`airflow.models.baseoperator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.operator_links import BaseOperatorLink
from gnomon.authoring.sdk import BaseOperator, chain, chain_linear, cross_downstream

__all__ = ["BaseOperator", "BaseOperatorLink", "chain", "chain_linear", "cross_downstream"]
__getattr__ = make_getattr(__name__)
