"""Assets: authors make and combine them, and give them as schedules, inlets and outlets.

Open `asset.py` first. `asset_schedules.py` has the timetables, `asset_plain_data.py` what goes into the DagSpec, `own_objects.py` assets and params as
values of XComs.
"""

from gnomon.authoring.sdk.assets.asset import (
    Asset,
    AssetAccessControl,
    AssetAlias,
    AssetAll,
    AssetAny,
    AssetBooleanCondition,
    AssetNameRef,
    AssetRef,
    AssetUriRef,
    AssetWatcher,
    BaseAsset,
    Dataset,
    Metadata,
    Model,
)

__all__ = [
    "Asset",
    "AssetAccessControl",
    "AssetAlias",
    "AssetAll",
    "AssetAny",
    "AssetBooleanCondition",
    "AssetNameRef",
    "AssetRef",
    "AssetUriRef",
    "AssetWatcher",
    "BaseAsset",
    "Dataset",
    "Metadata",
    "Model",
]
