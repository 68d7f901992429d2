"""`airflow.models.taskinstancekey`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.context.runtime_task_instance import TaskInstanceKey

__all__ = ["TaskInstanceKey"]
__getattr__ = make_getattr(__name__)
