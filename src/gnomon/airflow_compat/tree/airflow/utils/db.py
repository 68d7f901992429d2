"""`airflow.utils.db`."""

from airflow.utils.session import create_session, provide_session
from gnomon.airflow_compat.missing import missing

__all__ = ["create_session", "provide_session"]
__getattr__ = missing(__name__)
