"""Which unfinished runs are late, and since when, on both databases."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.conformance.storeworld import AT, World

from gnomon.model.instants import SECOND
from gnomon.model.records import Changes, RunRecord
from gnomon.model.states import DagRunState, DagRunType
from gnomon.queries.report.activity.current_work import LATE_AFTER_S, DagFacts
from gnomon.queries.report.activity.run_lateness import _find_due, find_late_runs
from gnomon.queries.report.activity.usual_duration import find_p95, find_p95_of_dags

GRACE = int(LATE_AFTER_S * SECOND)
HOUR = 3_600 * SECOND


@pytest.fixture
def runs(world: World) -> World:
    """Of DAG `d`: five runs that took 10 to 14 seconds each, and the queued run `m`, due at AT."""
    world.dag()
    for length in range(10, 15):
        _end(world, world.run("d", f"ok_{length}"), length)
    world.run("d", "m")
    return world


def _end(world: World, run: RunRecord, length_s: int) -> None:
    run.state, run.started_at, run.ended_at = DagRunState.SUCCESS, AT, AT + length_s * SECOND
    world.apply(Changes(runs=[run]))


def _start(world: World, run_id: str, at: int) -> None:
    run = next(one for one in world.state().runs if one.run_id == run_id)
    run.state, run.started_at = DagRunState.RUNNING, at
    world.apply(Changes(runs=[run]))


def _read(world: World, now: int) -> dict[tuple[str, str], int]:
    with world.db.read() as tx:
        return {key: one.since for key, one in find_late_runs(tx, now, DagFacts()).items()}


def test_a_queued_run_is_late_since_it_was_due_once_the_grace_is_over(runs: World) -> None:
    assert _read(runs, AT + GRACE) == {}
    assert _read(runs, AT + GRACE + 1) == {("d", "m"): AT}


def test_a_running_run_is_late_since_it_should_have_ended_by_the_runs_before_it(runs: World) -> None:
    _start(runs, "m", AT + HOUR)
    assert _read(runs, AT + HOUR + 14 * SECOND) == {}, "95 of 100 runs take at most 14 s"
    assert _read(runs, AT + HOUR + 14 * SECOND + 1) == {("d", "m"): AT + HOUR + 14 * SECOND}


def test_a_running_run_of_a_dag_with_few_successful_runs_is_not_late(world: World) -> None:
    world.dag()
    for length in range(4):
        _end(world, world.run("d", f"ok_{length}"), 1)
    world.run("d", "m")
    _start(world, "m", AT)
    assert _read(world, AT + 1_000 * HOUR) == {}


def test_a_run_that_takes_less_than_a_second_is_not_late_though_the_others_were_faster(world: World) -> None:
    world.dag()
    for number in range(5):
        run = world.run("d", f"ok_{number}")
        run.state, run.started_at, run.ended_at = DagRunState.SUCCESS, AT, AT + 1_000
        world.apply(Changes(runs=[run]))
    world.run("d", "m")
    _start(world, "m", AT)
    assert _read(world, AT + SECOND) == {}
    assert _read(world, AT + SECOND + 1) == {("d", "m"): AT + 1_000}


def test_an_ended_run_is_not_late(runs: World) -> None:
    _start(runs, "m", AT)
    run = next(one for one in runs.state().runs if one.run_id == "m")
    run.state, run.ended_at = DagRunState.FAILED, AT + HOUR
    runs.apply(Changes(runs=[run]))
    assert _read(runs, AT + 2 * HOUR) == {}


QUEUED = RunRecord(
    run_pk=1,
    dag_pk=1,
    run_id="r",
    run_type=DagRunType.SCHEDULED,
    state=DagRunState.QUEUED,
    run_after=AT,
    logical_at=AT,
    interval_start=AT,
    interval_end=AT,
    version_pk=None,
    conf={},
    queued_at=AT + HOUR,
)


@pytest.mark.parametrize(
    ("run", "due"),
    [
        (QUEUED, AT),
        (replace(QUEUED, run_type=DagRunType.MANUAL), AT),
        (replace(QUEUED, clear_number=1), AT + HOUR),
        (replace(QUEUED, run_type=DagRunType.BACKFILL), AT + HOUR),
        (replace(QUEUED, run_type=DagRunType.BACKFILL, run_after=AT + 2 * HOUR), AT + 2 * HOUR),
    ],
)
def test_a_run_is_due_by_its_schedule_and_a_cleared_one_or_one_of_a_backfill_when_it_was_queued(
    run: RunRecord, due: int
) -> None:
    assert _find_due(run, due + GRACE) is None
    assert _find_due(run, due + GRACE + 1) == due


def test_the_percentiles_of_several_dags_are_those_of_each(world: World) -> None:
    chance = random.Random(7)
    dags = [world.dag(f"d{number}") for number in range(6)]
    with world.db.write() as tx:
        for number, dag in enumerate(dags):
            for run in range((0, 3, 5, 40, 60, 360)[number]):
                state, started = chance.choice((100, 100, 101)), chance.choice((10, 10, 10, "NULL"))
                tx._connection.execute_raw(
                    "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, state, run_after, queued_at, started_at, ended_at) "
                    f"VALUES ({dag.dag_pk}, {dag.group_no}, 'r{run}', 'manual', {state}, {chance.randrange(50)}, 1, {started}, {100 + chance.randrange(1000)})"
                )
    with world.db.read() as tx:
        found = find_p95_of_dags(tx, [dag.dag_pk for dag in dags])
        assert found == {dag.dag_pk: find_p95(tx, dag.dag_pk) for dag in dags}
        assert [found[dag.dag_pk] is None for dag in dags[:2]] == [True, True]
        assert any(found.values())
        assert find_p95_of_dags(tx, []) == {}
