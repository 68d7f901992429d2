"""`airflow.operators.trigger_dagrun`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.trigger_dag_run import DagIsPaused, TriggerDagRunOperator

__all__ = ["DagIsPaused", "TriggerDagRunOperator"]
__getattr__ = missing(__name__)
