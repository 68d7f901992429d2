"""A DAG whose dependencies can never be met plans no run, and goes on by its own policies when they can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import Clock
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable, reference

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
UNIT = 180 * SECOND
ERROR = "DAG 'd' is in a cycle of DAGs: d -> e -> d"


class World:
    """A DAG `d`, and one beside it, under one scheduler."""

    def __init__(self, db: Database, *, catchup: bool) -> None:
        self.db = db
        self.deployment = Deployment(db, seed=1, start=START, script=lambda *_: Play(1.0))
        self.deployment.add_dags([self._spec("d", catchup), self._spec("beside", catchup)], 1)

    def _spec(self, dag_id: str, catchup: bool) -> DagSpec:
        return DagSpec(
            dag_id=dag_id,
            timetable=reference(CronTriggerTimetable("*/3 * * * *", timezone="UTC")),
            start_at=START,
            tasks=(TaskSpec(task_id="t", runs_code=False),),
            catchup=catchup,
        )

    def until(self, units: float) -> None:
        self.deployment.run_until(START + int(units * UNIT))

    def put(self, error: str | None) -> None:
        with self.db.write() as tx:
            row = dags.find_dag_row(tx, "d")
            assert row is not None
            dag_edges.set_dependency_errors(tx, {row.dag_pk: error}, self.deployment.clock.now())

    def slots(self, dag_id: str) -> list[float]:
        with self.db.read() as tx:
            return sorted((run.run_after - START) / UNIT for run in dag_runs.list_runs(tx, dag_id))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Callable[..., World]]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    clocks: list[Clock] = []
    database = open_database(
        url, synchronous="OFF", lease_clock=lambda: START + int(clocks[0].monotonic() * SECOND) if clocks else START
    )

    def make(*, catchup: bool) -> World:
        made = World(database, catchup=catchup)
        clocks.append(made.deployment.clock)
        return made

    yield make
    database.close()


@pytest.mark.parametrize(("catchup", "made_up"), [(True, [3, 4, 5]), (False, [5])])
def test_no_run_is_planned_while_the_error_stands_and_its_policies_rule_after_it(
    world: Callable[..., World], catchup: bool, made_up: list[float]
) -> None:
    one = world(catchup=catchup)
    one.until(2.5)
    before = one.slots("d")
    assert before[-1] == 2
    one.put(ERROR)
    one.until(5.5)
    assert one.slots("d") == before
    assert one.slots("beside")[-3:] == [3, 4, 5]
    one.put(None)
    one.until(5.6)
    assert one.slots("d") == [*before, *made_up]
    one.until(6.5)
    assert one.slots("d") == [*before, *made_up, 6]


def test_an_error_that_stood_before_the_scheduler_came_counts(world: Callable[..., World]) -> None:
    one = world(catchup=True)
    one.put(ERROR)
    one.until(2.5)
    assert one.slots("d") == []
    assert one.slots("beside") == [0, 1, 2]


def test_another_error_changes_nothing(world: Callable[..., World]) -> None:
    one = world(catchup=True)
    one.until(0.5)
    one.put(ERROR)
    one.until(1.5)
    one.put("another")
    one.until(2.5)
    assert one.slots("d") == [0]
    one.deployment.kill_scheduler()
    one.until(3.5)
    assert one.slots("d") == [0]
    assert one.slots("beside") == [0, 1, 2, 3]
