"""`airflow.assets`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import Asset, AssetAlias, AssetAll, AssetAny

__all__ = ["Asset", "AssetAlias", "AssetAll", "AssetAny"]
__getattr__ = missing(__name__)
