"""`airflow.utils.task_group`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import TaskGroup

__all__ = ["TaskGroup"]
__getattr__ = missing(__name__)
