"""`airflow.sdk.execution_time.task_runner`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance

__all__ = ["RuntimeTaskInstance"]
__getattr__ = make_getattr(__name__)
