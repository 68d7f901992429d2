"""`[core] airflow_dialect` changed on a store that has runs: no slot gets two runs, and none is left out silently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.effects import World, options

from gnomon.ground.config import Config, set_current_config
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.storage.store import migrations
from gnomon.storage.store.dag_records.event_log import list_events

MONDAY: Instant = 1_772_409_600_000_000
"""2026-03-02T00:00:00Z"""
FLOW = """
    with DAG("cron", schedule={schedule}, start_date=datetime(2026, 3, 1, 23, 58, tzinfo=timezone.utc){more}):
        BaseOperator(task_id="t")
"""
MINUTE, NONE = timedelta(minutes=1), timedelta(0)
ForDialect = Callable[[int], World]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "new.db"
    migrations.upgrade_schema(f"sqlite:///{path}")
    return path


@pytest.fixture
def world(tmp_path: Path, database: Path) -> Iterator[ForDialect]:
    """Makes a world under a dialect."""
    made: list[World] = []

    def make(dialect: int) -> World:
        made.append(World(_options(tmp_path, dialect), database, MONDAY - 2 * SECOND))
        return made[-1]

    yield make
    for one in made:
        one.close()
    set_current_config(None)


def _options(folder: Path, dialect: int) -> Config:
    return options(folder / "home", core__dags_are_paused_at_creation=False, core__airflow_dialect=dialect)


def runs_of(world: World) -> list[tuple[str, str]]:
    """(when it was due, logical date) of the runs, oldest first."""
    found: list[dict[str, Any]] = json.loads(world.cli("runs", "list", "cron", "-o", "json").out)
    return [(row["run_after"], row["logical_date"]) for row in found[::-1]]


def change(world: World, folder: Path, dialect: int, schedule: str, more: str) -> None:
    """What the DAG processor does after a restart with the other option: it parses the file again."""
    set_current_config(_options(folder, dialect))
    world.file(FLOW.format(schedule=schedule, more=more))


@pytest.mark.parametrize("more", ["", ", catchup=True", ", catchup=False"])
@pytest.mark.parametrize("schedule", ['"* * * * *"', "timedelta(minutes=1)"])
@pytest.mark.parametrize(("first", "second"), [(3, 2), (2, 3)])
def test_each_logical_date_has_one_run_when_the_dialect_changes(
    world: ForDialect, tmp_path: Path, first: int, second: int, schedule: str, more: str
) -> None:
    it = world(first)
    it.file(FLOW.format(schedule=schedule, more=more))
    it.go(125)
    before = runs_of(it)
    change(it, tmp_path, second, schedule, more)
    it.go(215)
    after = runs_of(it)
    assert after[: len(before)] == before, "runs that exist are not changed"
    due = [datetime.fromisoformat(run_after) for run_after, _ in after]
    gaps = [later - earlier for earlier, later in pairwise(due)]
    left_out = (
        [2 * MINUTE] if second == 2 else []
    )  # the interval that begins at the last run has that date, and its run, already
    assert [gap for gap in gaps if gap != MINUTE] == left_out, "every other minute has one run, also around the change"
    dates = [logical for _, logical in after]
    assert len(set(dates)) == len(dates), "no logical date occurs twice"
    assert due[-1] > to_datetime(it.clock.now()) - MINUTE
    spans = [datetime.fromisoformat(run_after) - datetime.fromisoformat(logical) for run_after, logical in after]
    assert spans == [MINUTE if first == 2 else NONE] * len(before) + [MINUTE if second == 2 else NONE] * (
        len(after) - len(before)
    )
    assert len(after) >= len(before) + 2
    with it.db.read() as tx:
        (event,) = (event for event in list_events(tx) if event.kind == "dialect_changed")
    assert event.body.startswith(f"Airflow {first} -> Airflow {second}: the next run continues after the last one")


def test_slots_before_the_change_get_no_run_although_catchup_is_on_from_then_on(
    world: ForDialect, tmp_path: Path
) -> None:
    it = world(3)
    it.file(FLOW.format(schedule='"* * * * *"', more=""))
    it.go(65)
    before = [run_after[11:16] for run_after, _ in runs_of(it)]
    assert before == ["23:59", "00:00", "00:01"], "without catchup the slot of 23:58 was left out, and that was logged"
    change(it, tmp_path, 2, '"* * * * *"', "")
    it.go(125)
    assert [run_after[11:16] for run_after, _ in runs_of(it)] == [*before, "00:03"]
    assert "the slot at 2026-03-01T23:58:00Z: catchup=False" in it.cli("explain", "cron").out
