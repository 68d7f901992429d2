"""`airflow.utils.task_group`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import TaskGroup
from gnomon.authoring.sdk.mapping.mapped_task_group import MappedTaskGroup

__all__ = [
    "MappedTaskGroup",
    "TaskGroup",
]
__getattr__ = make_getattr(__name__)
