"""`airflow.sdk.bases.operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.priorities import DB_SAFE_MAXIMUM, DB_SAFE_MINIMUM, db_safe_priority
from gnomon.authoring.sdk.mapping.operator_partial import OperatorPartial
from gnomon.authoring.sdk.members.operator_meta import OperatorMeta as BaseOperatorMeta
from gnomon.authoring.sdk import BaseAsyncOperator, BaseOperator, chain, chain_linear, cross_downstream

__all__ = [
    "BaseAsyncOperator",
    "BaseOperator",
    "BaseOperatorMeta",
    "DB_SAFE_MAXIMUM",
    "DB_SAFE_MINIMUM",
    "OperatorPartial",
    "chain",
    "chain_linear",
    "cross_downstream",
    "db_safe_priority",
]
__getattr__ = make_getattr(__name__)
