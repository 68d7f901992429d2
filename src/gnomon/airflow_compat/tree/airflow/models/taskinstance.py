"""`airflow.models.taskinstance`."""

from gnomon.airflow_compat.current_context import set_current_context
from gnomon.airflow_compat.missing import missing
from gnomon.sdk import get_current_context

__all__ = ["get_current_context", "set_current_context"]
__getattr__ = missing(__name__)
