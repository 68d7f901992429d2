"""`airflow.decorators.branch_virtualenv`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import branch_virtualenv_task

__all__ = ["branch_virtualenv_task"]
__getattr__ = make_getattr(__name__)
