"""`airflow.models.baseoperator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.operator_link import BaseOperatorLink
from gnomon.sdk import BaseOperator, chain, chain_linear, cross_downstream

__all__ = ["BaseOperator", "BaseOperatorLink", "chain", "chain_linear", "cross_downstream"]
__getattr__ = missing(__name__)
