"""`airflow.providers_manager`: what installed provider packages bring."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.providers import DialectInfo, HookInfo, ProvidersManager
from gnomon.sdk.providers import Provider as ProviderInfo

__all__ = ["DialectInfo", "HookInfo", "ProviderInfo", "ProvidersManager"]
__getattr__ = missing(__name__)
