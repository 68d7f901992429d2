"""`airflow.models.taskinstance`."""

from gnomon.airflow_compat.dag_context import set_current_context
from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.authoring.sdk import get_current_context

__all__ = ["TaskInstanceKey", "get_current_context", "set_current_context"]
__getattr__ = make_getattr(__name__)
