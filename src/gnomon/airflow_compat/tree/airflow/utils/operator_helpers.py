"""`airflow.utils.operator_helpers`."""

from gnomon.airflow_compat.context_variables import (
    AIRFLOW_VAR_NAME_FORMAT_MAPPING,
    DEFAULT_FORMAT_PREFIX,
    ENV_VAR_FORMAT_PREFIX,
    context_to_airflow_vars,
)
from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.function_keywords import KeywordParameters, determine_kwargs, make_kwargs_callable

__all__ = [
    "AIRFLOW_VAR_NAME_FORMAT_MAPPING",
    "DEFAULT_FORMAT_PREFIX",
    "ENV_VAR_FORMAT_PREFIX",
    "KeywordParameters",
    "context_to_airflow_vars",
    "determine_kwargs",
    "make_kwargs_callable",
]
__getattr__ = make_getattr(__name__)
