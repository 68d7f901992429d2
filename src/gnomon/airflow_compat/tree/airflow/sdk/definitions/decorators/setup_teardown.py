"""`airflow.sdk.definitions.decorators.setup_teardown`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.task_decorators import setup as setup_task, teardown as teardown_task

__all__ = ["setup_task", "teardown_task"]
__getattr__ = make_getattr(__name__)
