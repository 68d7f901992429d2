"""Answers about assets and their events."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from gnomon.model.assets import AssetEvent
from gnomon.model.attempts import Attempt
from gnomon.model.task_api_requests import GetAsset, GetAssetEvents
from gnomon.storage import store
from gnomon.storage.store.asset_records import asset_declarations, asset_events


def get_asset(tx: store.Transaction, request: GetAsset) -> object:
    """The asset with that name or URI; one that an active DAG names comes before one that no file names any more."""
    assets = asset_declarations.find_assets(tx, request.name, request.uri)
    if not assets:
        return None
    named = {
        declaration.leaf for declaration in asset_declarations.list_declarations(tx, [asset.key for asset in assets])
    }
    asset = min(assets, key=lambda asset: (asset.key not in named, asset.asset_pk))
    return {"name": asset.key.name, "uri": asset.key.uri, "group": asset.group, "extra": json.loads(asset.extra)}


def get_asset_events(tx: store.Transaction, request: GetAssetEvents) -> object:
    """The events of an alias, or of all assets with that name and that URI; None matches any."""
    after, before = request.after, request.before
    if request.alias is not None:
        return _encode(
            asset_events.list_alias_events(
                tx, request.alias, after=after, before=before, ascending=request.ascending, limit=request.limit
            )
        )
    asset_pks = [asset.asset_pk for asset in asset_declarations.find_assets(tx, request.name, request.uri)]
    return _encode(
        asset_events.list_asset_events(
            tx, asset_pks, after=after, before=before, ascending=request.ascending, limit=request.limit
        )
    )


def get_consumed_asset_events(tx: store.Transaction, attempt: Attempt) -> object:
    """The events that the run of the attempt consumed, oldest first."""
    return _encode(asset_events.list_consumed_events(tx, attempt.run.run_pk))


def _encode(events: Iterable[AssetEvent]) -> list[object]:
    return [msgspec.to_builtins(event) for event in events]
