"""`airflow.sdk.api.datamodels._generated`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun as DagRun
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState

__all__ = ["DagRun", "DagRunState", "DagRunType", "TaskInstanceState"]
__getattr__ = make_getattr(__name__)
