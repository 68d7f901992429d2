"""`airflow.sdk.definitions.asset`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import Asset, AssetAccessControl, AssetAlias, AssetAll, AssetAny, AssetWatcher, Dataset
from gnomon.sdk.assets import AssetRef, BaseAsset, Model

__all__ = [
    "Asset",
    "AssetAccessControl",
    "AssetAlias",
    "AssetAll",
    "AssetAny",
    "AssetRef",
    "AssetWatcher",
    "BaseAsset",
    "Dataset",
    "Model",
]
__getattr__ = make_getattr(__name__)
