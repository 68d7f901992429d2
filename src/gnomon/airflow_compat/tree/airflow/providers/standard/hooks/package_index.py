"""`airflow.providers.standard.hooks.package_index`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.package_index_hook import PackageIndexHook

__all__ = ["PackageIndexHook"]
__getattr__ = make_getattr(__name__)
