"""`airflow.decorators.branch_python`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.task_functions import branch_task

__all__ = ["branch_task"]
__getattr__ = missing(__name__)
