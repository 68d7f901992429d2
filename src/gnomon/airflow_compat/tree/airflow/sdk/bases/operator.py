"""`airflow.sdk.bases.operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseAsyncOperator, BaseOperator, chain, chain_linear, cross_downstream

__all__ = ["BaseAsyncOperator", "BaseOperator", "chain", "chain_linear", "cross_downstream"]
__getattr__ = missing(__name__)
