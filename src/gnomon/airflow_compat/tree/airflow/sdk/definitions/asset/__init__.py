"""`airflow.sdk.definitions.asset`."""

from urllib.parse import urlsplit as _urlsplit

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets import (
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
from gnomon.authoring.sdk.assets.asset import AssetAliasUniqueKey, AssetUniqueKey

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


def _get_normalized_scheme(uri):
    """The scheme of the URI in lower case; packages import it for the converters of assets."""
    return _urlsplit(uri).scheme.lower()


__getattr__ = make_getattr(__name__)
