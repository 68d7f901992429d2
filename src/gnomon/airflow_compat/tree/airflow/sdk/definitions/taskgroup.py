"""`airflow.sdk.definitions.taskgroup`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import TaskGroup

__all__ = ["TaskGroup"]
__getattr__ = make_getattr(__name__)
