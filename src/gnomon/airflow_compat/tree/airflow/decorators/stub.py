"""`airflow.decorators.stub`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import stub

__all__ = ["stub"]
__getattr__ = make_getattr(__name__)
