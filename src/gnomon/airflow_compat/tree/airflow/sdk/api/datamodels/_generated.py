"""`airflow.sdk.api.datamodels._generated`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.dag_run import DagRun
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState

__all__ = ["DagRun", "DagRunState", "DagRunType", "TaskInstanceState"]
__getattr__ = missing(__name__)
