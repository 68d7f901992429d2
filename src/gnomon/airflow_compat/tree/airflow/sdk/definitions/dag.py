"""`airflow.sdk.definitions.dag`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import DAG
from gnomon.sdk.dag_decorator import dag

__all__ = ["DAG", "dag"]
__getattr__ = missing(__name__)
