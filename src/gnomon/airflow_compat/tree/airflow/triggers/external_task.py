"""`airflow.triggers.external_task`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.external_task import DagStateTrigger, TaskStateTrigger, WorkflowTrigger

__all__ = ["DagStateTrigger", "TaskStateTrigger", "WorkflowTrigger"]
__getattr__ = make_getattr(__name__)
