"""`airflow.sdk.execution_time.task_runner`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.task_instance import TaskInstance as RuntimeTaskInstance

__all__ = ["RuntimeTaskInstance"]
__getattr__ = missing(__name__)
