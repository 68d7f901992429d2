"""`airflow.listeners.listener`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.loading.listeners import ListenerManager, get_listener_manager

__all__ = ["ListenerManager", "get_listener_manager"]

__getattr__ = make_getattr(__name__)
