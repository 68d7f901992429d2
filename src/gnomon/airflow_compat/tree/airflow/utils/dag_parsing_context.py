"""`airflow.utils.dag_parsing_context`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import get_parsing_context

__all__ = ["get_parsing_context"]
__getattr__ = missing(__name__)
