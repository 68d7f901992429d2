"""`airflow.providers.standard.triggers.external_task`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.external_task import DagStateTrigger, WorkflowTrigger

__all__ = ["DagStateTrigger", "WorkflowTrigger"]
__getattr__ = make_getattr(__name__)
