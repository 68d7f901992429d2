"""`airflow.decorators.external_python`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import external_python_task

__all__ = ["external_python_task"]
__getattr__ = make_getattr(__name__)
