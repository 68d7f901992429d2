"""`airflow.providers_manager`: what installed provider packages bring."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.providers_manager import DialectInfo, HookInfo, ProvidersManager
from gnomon.authoring.sdk.connections.provider_packages import ProviderPackage as ProviderInfo

__all__ = ["DialectInfo", "HookInfo", "ProviderInfo", "ProvidersManager"]
__getattr__ = make_getattr(__name__)
