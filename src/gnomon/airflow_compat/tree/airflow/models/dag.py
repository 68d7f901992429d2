"""`airflow.models.dag`."""

from gnomon.airflow_compat.dag_context import DagContext, create_timetable
from gnomon.airflow_compat.missing import missing
from gnomon.sdk import DAG
from gnomon.sdk.dag_decorator import dag

__all__ = ["DAG", "DagContext", "create_timetable", "dag"]
__getattr__ = missing(__name__)
