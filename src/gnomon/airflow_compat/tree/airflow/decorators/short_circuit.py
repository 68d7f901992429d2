"""`airflow.decorators.short_circuit`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import short_circuit_task

__all__ = ["short_circuit_task"]
__getattr__ = make_getattr(__name__)
