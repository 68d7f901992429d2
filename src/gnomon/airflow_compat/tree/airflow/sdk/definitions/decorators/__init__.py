"""`airflow.sdk.definitions.decorators`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import setup, task, task_group, teardown
from gnomon.sdk.decorators import TaskDecorators as TaskDecoratorCollection

__all__ = ["TaskDecoratorCollection", "setup", "task", "task_group", "teardown"]
__getattr__ = missing(__name__)
