"""`airflow.models.mappedoperator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.mapping.expand_input import check_return_values as ensure_xcomarg_return_value
from gnomon.authoring.sdk.mapping.expand_input import is_mappable_value
from gnomon.authoring.sdk.mapping.mapped_operator import MappedOperator
from gnomon.authoring.sdk.mapping.operator_partial import OperatorPartial

__all__ = [
    "MappedOperator",
    "OperatorPartial",
    "ensure_xcomarg_return_value",
    "is_mappable_value",
]
__getattr__ = make_getattr(__name__)
