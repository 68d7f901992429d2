"""`airflow.sdk.definitions.dag`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.dags.dag_decorators import dag

__all__ = ["DAG", "dag"]
__getattr__ = make_getattr(__name__)
