"""`airflow.utils.db`."""

from airflow.utils.session import create_session, provide_session
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["create_session", "provide_session"]
__getattr__ = make_getattr(__name__)
