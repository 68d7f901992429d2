"""`airflow.sdk.definitions.decorators`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import setup, task, task_group, teardown
from gnomon.authoring.sdk.tasks.task_decorators import TaskDecorators as TaskDecoratorCollection

__all__ = ["TaskDecoratorCollection", "setup", "task", "task_group", "teardown"]
__getattr__ = make_getattr(__name__)
