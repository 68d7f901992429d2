"""`airflow.providers.standard.triggers.external_task`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.triggers.external_task import DagStateTrigger, WorkflowTrigger

__all__ = ["DagStateTrigger", "WorkflowTrigger"]
__getattr__ = missing(__name__)
