"""`airflow.sdk.bases.decorator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.keywords import KeywordParameters, determine_kwargs
from gnomon.sdk import DecoratedOperator, task_decorator_factory
from gnomon.sdk.decorated import unique_task_id as get_unique_task_id
from gnomon.sdk.decorators import TaskDecorator

__all__ = [
    "DecoratedOperator",
    "KeywordParameters",
    "TaskDecorator",
    "determine_kwargs",
    "get_unique_task_id",
    "task_decorator_factory",
]
__getattr__ = missing(__name__)
