"""The newest run of each DAG is the last in the order of `run_after` and key, whatever inserts and deletes runs, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.storeworld import AT, DAY, World, check_newest_runs, raw

from gnomon.model.records import Changes
from gnomon.model.states import DagRunState
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import commit


def _create(world: World, dag_id: str, run_id: str, day: int) -> int:
    with world.db.write() as tx:
        run = dag_runs.create_manual_run(
            tx,
            dag_id=dag_id,
            run_id=run_id,
            logical_at=None,
            run_after=AT + day * DAY,
            interval=None,
            conf={},
            by="test",
            at=AT,
        )
    return run.run_pk


def _delete(world: World, *run_pks: int) -> None:
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, run_pks)


def _read(world: World) -> list[tuple[object, ...]]:
    check_newest_runs(world.db)
    with world.db.read() as tx:
        return raw(tx, "SELECT run_pk FROM newest_run ORDER BY dag_pk")


def test_a_run_that_is_created_later_is_the_newest_only_if_it_is_due_later(world: World) -> None:
    for dag_id in ("up", "down"):
        world.dag(dag_id)
    assert _read(world) == []
    first = _create(world, "up", "first", 5)
    assert _read(world) == [(first,)]
    _create(world, "up", "earlier", 3)
    assert _read(world) == [(first,)]
    same = _create(world, "up", "same", 5)
    other = _create(world, "down", "other", 1)
    assert _read(world) == [(same,), (other,)]


@pytest.mark.parametrize("is_together", [False, True])
def test_deleted_runs_leave_the_newest_of_those_that_are_left(world: World, is_together: bool) -> None:
    for dag_id in ("up", "down"):
        world.dag(dag_id)
    runs = [_create(world, "up", f"r{day}", day) for day in (1, 2, 3, 4)]
    other = _create(world, "down", "other", 1)
    for deleted, left in (
        ((runs[1],), [(runs[3],), (other,)]),
        ((runs[3], runs[2]), [(runs[0],), (other,)]),
        ((runs[0],), [(other,)]),
    ):
        for chosen in (deleted,) if is_together else tuple((run_pk,) for run_pk in deleted):
            _delete(world, *chosen)
        assert _read(world) == left
    again = _create(world, "up", "again", 0)
    assert _read(world) == [(again,), (other,)]


def test_the_newest_run_has_its_state_and_times_and_a_newer_one_has_none(world: World) -> None:
    world.dag("up")
    first, second = (world.run("up", f"r{number}", day=number) for number in (1, 2))
    newest, earlier = sorted((first, second), key=lambda run: (run.run_after, run.run_pk), reverse=True)

    def state() -> list[tuple[object, ...]]:
        check_newest_runs(world.db)
        with world.db.read() as tx:
            return raw(tx, "SELECT state, started_at, ended_at FROM newest_run")

    assert state() == [(1, None, None)]
    world.apply(Changes(runs=[replace(earlier, state=DagRunState.FAILED, started_at=AT, ended_at=AT + 1)]))
    assert state() == [(1, None, None)]
    world.apply(Changes(runs=[replace(newest, state=DagRunState.RUNNING, started_at=AT + 5)]))
    assert state() == [(2, AT + 5, None)]
    world.apply(Changes(runs=[replace(newest, state=DagRunState.SUCCESS, started_at=AT + 5, ended_at=AT + 9)]))
    assert state() == [(100, AT + 5, AT + 9)]
    later = _create(world, "up", "later", 9)
    assert state() == [(1, None, None)]
    _delete(world, later)
    assert state() == [(100, AT + 5, AT + 9)]
    world.apply(Changes(runs=[replace(newest, state=DagRunState.QUEUED, started_at=None, ended_at=None)]))
    assert state() == [(1, None, None)]


def test_a_deleted_dag_has_no_newest_run(world: World) -> None:
    dag = world.dag("up")
    _create(world, "up", "r", 1)
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_dags(tx, [dag.dag_pk])
    assert _read(world) == []
