"""`airflow.sdk.bases.operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import BaseAsyncOperator, BaseOperator, chain, chain_linear, cross_downstream

__all__ = ["BaseAsyncOperator", "BaseOperator", "chain", "chain_linear", "cross_downstream"]
__getattr__ = make_getattr(__name__)
