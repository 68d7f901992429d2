"""`airflow.hooks.base`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseHook
from gnomon.sdk.hook import BaseHook as DiscoverableHook

__all__ = ["BaseHook", "DiscoverableHook"]
__getattr__ = missing(__name__)
