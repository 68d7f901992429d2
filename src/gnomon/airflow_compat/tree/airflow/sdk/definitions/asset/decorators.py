"""`airflow.sdk.definitions.asset.decorators`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.dags.asset_decorators import AssetDefinition, MultiAssetDefinition, asset

__all__ = ["AssetDefinition", "MultiAssetDefinition", "asset"]
__getattr__ = make_getattr(__name__)
