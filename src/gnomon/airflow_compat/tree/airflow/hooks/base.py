"""`airflow.hooks.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseHook
from gnomon.authoring.sdk.connections.connection import BaseHook as DiscoverableHook

__all__ = ["BaseHook", "DiscoverableHook"]
__getattr__ = make_getattr(__name__)
