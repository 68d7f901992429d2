"""`airflow.utils.operator_helpers`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.environment import words_of as context_to_airflow_vars
from gnomon.operators.keywords import KeywordParameters, determine_kwargs, make_kwargs_callable

__all__ = ["KeywordParameters", "context_to_airflow_vars", "determine_kwargs", "make_kwargs_callable"]
__getattr__ = missing(__name__)
