"""`airflow.decorators.python`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.task_functions import python_task

__all__ = ["python_task"]
__getattr__ = missing(__name__)
