"""`airflow.providers.standard.decorators.python_virtualenv`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import virtualenv_task

__all__ = ["virtualenv_task"]
__getattr__ = make_getattr(__name__)
