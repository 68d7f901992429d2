"""`airflow.utils.dag_parsing_context`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import get_parsing_context

__all__ = ["get_parsing_context"]
__getattr__ = make_getattr(__name__)
