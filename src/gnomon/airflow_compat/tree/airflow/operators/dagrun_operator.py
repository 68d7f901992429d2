"""`airflow.operators.dagrun_operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.trigger_dag_run import TriggerDagRunOperator

__all__ = ["TriggerDagRunOperator"]
__getattr__ = missing(__name__)
