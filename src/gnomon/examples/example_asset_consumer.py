"""Runs when the asset that `example_asset_producer` writes has a new event, and reads the events that made the run.

The assets of two files are the same asset if their names are.
"""

from __future__ import annotations

from typing import Any

from gnomon import DAG, Asset, task

readings = Asset("example_readings")

with DAG("example_asset_consumer", schedule=[readings], is_paused_upon_creation=False, tags=["example"]):

    @task
    def read(*, triggering_asset_events: Any = None) -> int:
        """Events that came while no run could be made are consumed by one run together. A run by hand has none."""
        events = triggering_asset_events.get(readings, [])
        for event in events:
            print(f"{event.source_dag_id} wrote {event.extra.get('rows')} rows in run {event.source_run_id}")
        return len(events)

    read()
