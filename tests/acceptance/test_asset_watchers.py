"""Watchers of assets as users run them: a file appears, and each event of the trigger becomes one asset event, whoever is killed."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.acceptance.product import Product, Row, product
from tests.acceptance.test_triggerer import hosts_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FILES = 40
KILL_TRIGGERER_AT = (10, 20, 30)
KILL_HOST_AT = (15, 25)

WATCHED = """
from airflow.providers.standard.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger
from airflow.sdk import DAG, Asset, AssetWatcher, task

BOX = {box!r}
single = Asset("single", watchers=[AssetWatcher("single_watcher", FileDeleteTrigger(BOX + "/single", poke_interval=0.2))])
us = Asset("us", watchers=[AssetWatcher("us_watcher", DirectoryFileDeleteTrigger(directory=BOX, filename="us.flag", poke_interval=0.2))])

with DAG("watching", schedule=(single | us), is_paused_upon_creation=False):
    @task
    def show(*, triggering_asset_events):
        return {{asset.name: [event.extra for event in events] for asset, events in triggering_asset_events.items()}}

    show()
"""


def put(path: Path) -> None:
    """Make the file in one atomic step, when the one before it was taken."""
    draft = path.with_suffix(".draft")
    draft.touch()
    draft.rename(path)


def events_of(made: Product, asset: str) -> list[Row]:
    return [event for event in made.rows("assets", "events", "--limit", "1000") if event["asset"] == asset]


def triggerer_pids(made: Product) -> list[int]:
    return [
        int(path.stem)
        for path in (made.home / "run" / "triggerers").glob("*.pid")
        if Path(f"/proc/{path.stem}").exists()
    ]


def test_each_file_becomes_one_event_also_when_triggerers_are_killed(tmp_path: Path) -> None:
    with product(
        {"watching.py": WATCHED.format(box=str(tmp_path))}, {"GNOMON__TRIGGERER__JOB_HEARTBEAT_SEC": "0.5"}
    ) as made:
        flag, single = tmp_path / "us.flag", tmp_path / "single"
        put(flag)
        made.until(lambda: bool(events_of(made, "us")), "the first flag became an event")
        (first,) = events_of(made, "us")
        assert first["extra"] == {"from_trigger": True, "payload": {"filepath": str(flag)}}
        for number in range(FILES):
            put(single)
            for pid in (
                triggerer_pids(made)
                if number in KILL_TRIGGERER_AT
                else hosts_of(made)
                if number in KILL_HOST_AT
                else ()
            ):
                os.kill(pid, signal.SIGKILL)
            made.until(lambda: not single.exists(), f"file {number} was taken")
        made.until(lambda: len(events_of(made, "single")) >= FILES, "every file became an event")
        made.until(lambda: list(tmp_path.iterdir()) == [], "every file was deleted")
        events = events_of(made, "single")
        assert len(events) == FILES
        assert all(event["extra"] == {"from_trigger": True, "payload": True} for event in events)
        made.until(
            lambda: all(event["consumed_by"] for event in made.rows("assets", "events", "--limit", "1000")),
            "every event was consumed",
        )
        assert {len(event["consumed_by"]) for event in made.rows("assets", "events", "--limit", "1000")} == {1}
