"""`airflow.sdk.definitions.dag`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import DAG
from gnomon.sdk.dags.dag_decorators import dag

__all__ = ["DAG", "dag"]
__getattr__ = make_getattr(__name__)
