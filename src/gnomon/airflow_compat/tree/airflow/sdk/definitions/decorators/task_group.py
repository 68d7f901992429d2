"""`airflow.sdk.definitions.decorators.task_group`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import task_group

__all__ = ["task_group"]
__getattr__ = make_getattr(__name__)
