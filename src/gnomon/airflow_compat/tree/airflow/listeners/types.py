"""`airflow.listeners.types`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets.emitted_event import EmittedAssetEvent as AssetEvent

__all__ = ["AssetEvent"]

__getattr__ = make_getattr(__name__)
