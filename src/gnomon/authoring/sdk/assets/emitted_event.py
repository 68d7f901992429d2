"""What listeners get of an event of an asset."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from gnomon.authoring.sdk.assets.asset import Asset, AssetAlias


@dataclass
class EmittedAssetEvent:
    """The `asset_event` of `on_asset_event_emitted`. The source is None for an event of a watcher."""

    asset: Asset
    extra: dict[str, Any]
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int | None = None
    source_aliases: list[AssetAlias] = field(default_factory=list)
    partition_key: str | None = None
    partition_date: dt.datetime | None = None
