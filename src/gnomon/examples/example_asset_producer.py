"""Writes an asset: when its task succeeds, an event of the asset is recorded, with a note for the readers.

`example_asset_consumer` is scheduled by this asset.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon import DAG, Asset, task

readings = Asset("example_readings")

with DAG(
    "example_asset_producer",
    schedule="@once",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    is_paused_upon_creation=False,
    tags=["example"],
):

    @task(outlets=[readings])
    def write(*, outlet_events: Any = None) -> None:
        """`extra` of the event is any JSON."""
        outlet_events[readings].extra = {"rows": 3}

    write()
