"""`airflow.models.taskinstancekey`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.task_instance_key import TaskInstanceKey

__all__ = ["TaskInstanceKey"]
__getattr__ = missing(__name__)
