"""`airflow.sdk.definitions.decorators.condition`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.task_decorators import task

run_if = task.run_if
skip_if = task.skip_if

__all__ = ["run_if", "skip_if"]
__getattr__ = make_getattr(__name__)
