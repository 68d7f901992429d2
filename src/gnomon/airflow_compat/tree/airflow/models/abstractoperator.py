"""`airflow.models.abstractoperator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.tasks.task_membership import TaskMembership as AbstractOperator

__all__ = ["AbstractOperator"]
__getattr__ = make_getattr(__name__)
