"""`airflow.sdk.definitions.callback`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.callback_definitions import AsyncCallback, Callback, SyncCallback

__all__ = ["AsyncCallback", "Callback", "SyncCallback"]

__getattr__ = make_getattr(__name__)
