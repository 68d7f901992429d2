"""`airflow.providers.standard.operators.trigger_dagrun`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.page_links import XCOM_RUN_ID, TriggerDagRunLink
from gnomon.authoring.operators.trigger_dag_run import XCOM_LOGICAL_DATE_ISO, DagIsPaused, TriggerDagRunOperator

__all__ = ["XCOM_LOGICAL_DATE_ISO", "XCOM_RUN_ID", "DagIsPaused", "TriggerDagRunLink", "TriggerDagRunOperator"]
__getattr__ = make_getattr(__name__)
