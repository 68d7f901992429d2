"""`airflow.assets`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import Asset, AssetAlias, AssetAll, AssetAny

__all__ = ["Asset", "AssetAlias", "AssetAll", "AssetAny"]
__getattr__ = make_getattr(__name__)
