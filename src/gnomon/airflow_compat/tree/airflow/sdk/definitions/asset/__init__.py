"""`airflow.sdk.definitions.asset`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.assets import (
    Asset,
    AssetAccessControl,
    AssetAlias,
    AssetAll,
    AssetAny,
    AssetNameRef,
    AssetRef,
    AssetUriRef,
    AssetWatcher,
    BaseAsset,
    Dataset,
    Model,
)

__all__ = [
    "Asset",
    "AssetAccessControl",
    "AssetAlias",
    "AssetAll",
    "AssetAny",
    "AssetNameRef",
    "AssetRef",
    "AssetUriRef",
    "AssetWatcher",
    "BaseAsset",
    "Dataset",
    "Model",
]
__getattr__ = make_getattr(__name__)
