"""`airflow.models.taskinstancekey`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.task_instance_key import TaskInstanceKey

__all__ = ["TaskInstanceKey"]
__getattr__ = make_getattr(__name__)
