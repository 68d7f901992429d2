"""`airflow.decorators.task_group`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import task_group

__all__ = ["task_group"]
__getattr__ = missing(__name__)
