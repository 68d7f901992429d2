"""`airflow.decorators.bash`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import bash_task

__all__ = ["bash_task"]
__getattr__ = make_getattr(__name__)
