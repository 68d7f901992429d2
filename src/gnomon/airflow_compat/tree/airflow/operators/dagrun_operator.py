"""`airflow.operators.dagrun_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator

__all__ = ["TriggerDagRunOperator"]
__getattr__ = make_getattr(__name__)
