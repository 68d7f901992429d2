"""`airflow.sdk.providers_manager_runtime`: what installed provider packages bring."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.providers_manager import (
    DialectInfo,
    HookInfo,
    ProvidersManager as ProvidersManagerTaskRuntime,
)

__all__ = ["DialectInfo", "HookInfo", "ProvidersManagerTaskRuntime"]
__getattr__ = make_getattr(__name__)
