"""`airflow.providers.standard.decorators.bash`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.task_functions import bash_task

__all__ = ["bash_task"]
__getattr__ = missing(__name__)
