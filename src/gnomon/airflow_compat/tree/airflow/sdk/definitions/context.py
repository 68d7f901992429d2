"""`airflow.sdk.definitions.context`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.lazy import Context
from gnomon.sdk import get_current_context, get_parsing_context

__all__ = ["Context", "get_current_context", "get_parsing_context"]
__getattr__ = missing(__name__)
