"""`airflow.sdk.providers_manager_runtime`: what installed provider packages bring."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.providers import DialectInfo, HookInfo, ProvidersManager as ProvidersManagerTaskRuntime

__all__ = ["DialectInfo", "HookInfo", "ProvidersManagerTaskRuntime"]
__getattr__ = missing(__name__)
