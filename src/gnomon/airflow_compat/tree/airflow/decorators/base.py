"""`airflow.decorators.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import DecoratedOperator, task_decorator_factory
from gnomon.authoring.sdk.mapping.mapped_operator import DecoratedMappedOperator
from gnomon.authoring.sdk.tasks.decorated_operators import make_unique_task_id as get_unique_task_id
from gnomon.authoring.sdk.tasks.task_decorators import TaskDecorator

__all__ = [
    "DecoratedMappedOperator",
    "DecoratedOperator",
    "TaskDecorator",
    "get_unique_task_id",
    "task_decorator_factory",
]
__getattr__ = make_getattr(__name__)
