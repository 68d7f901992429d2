"""`airflow.models.taskinstance`."""

from gnomon.airflow_compat.current_context import set_current_context
from gnomon.airflow_compat.missing import missing
from gnomon.context.task_instance_key import TaskInstanceKey
from gnomon.sdk import get_current_context

__all__ = ["TaskInstanceKey", "get_current_context", "set_current_context"]
__getattr__ = missing(__name__)
