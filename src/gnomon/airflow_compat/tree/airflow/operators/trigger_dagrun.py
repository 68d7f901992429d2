"""`airflow.operators.trigger_dagrun`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.page_links import TriggerDagRunLink
from gnomon.authoring.operators.trigger_dag_run import DagIsPaused, TriggerDagRunOperator

__all__ = ["DagIsPaused", "TriggerDagRunLink", "TriggerDagRunOperator"]
__getattr__ = make_getattr(__name__)
