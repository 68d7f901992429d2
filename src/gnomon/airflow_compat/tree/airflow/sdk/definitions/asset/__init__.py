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
from gnomon.sdk.assets.asset import AssetAliasUniqueKey, AssetUniqueKey

__all__ = [
    "Asset",
    "AssetAccessControl",
    "AssetAlias",
    "AssetAliasUniqueKey",
    "AssetAll",
    "AssetAny",
    "AssetNameRef",
    "AssetRef",
    "AssetUniqueKey",
    "AssetUriRef",
    "AssetWatcher",
    "BaseAsset",
    "Dataset",
    "Model",
]
__getattr__ = make_getattr(__name__)
