"""`airflow.utils.operator_helpers`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.context.task_environment import collect_environment_values as context_to_airflow_vars
from gnomon.operators.function_keywords import KeywordParameters, determine_kwargs, make_kwargs_callable

__all__ = ["KeywordParameters", "context_to_airflow_vars", "determine_kwargs", "make_kwargs_callable"]
__getattr__ = make_getattr(__name__)
