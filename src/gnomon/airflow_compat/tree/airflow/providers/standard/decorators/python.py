"""`airflow.providers.standard.decorators.python`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import python_task

__all__ = ["python_task"]
__getattr__ = make_getattr(__name__)
