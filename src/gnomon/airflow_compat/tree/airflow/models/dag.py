"""`airflow.models.dag`."""

from gnomon.airflow_compat.dag_context import DagContext, create_timetable
from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.dags.dag_decorators import dag

__all__ = ["DAG", "DagContext", "create_timetable", "dag"]
__getattr__ = make_getattr(__name__)
