"""`airflow.sdk.execution_time.context`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.environment import words_of as context_to_airflow_vars
from gnomon.sdk import get_current_context

__all__ = ["context_to_airflow_vars", "get_current_context"]
__getattr__ = missing(__name__)
