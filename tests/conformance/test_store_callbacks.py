"""Callbacks and deadlines of runs in the store: written with the step that queues them, loaded by the next owner, deleted with their run."""

from __future__ import annotations

from dataclasses import replace

from tests.conformance.storeworld import AT, World

from gnomon.model.ids import GROUPS
from gnomon.model.records import Changes, RunRecord
from gnomon.model.run_callbacks import (
    CallbackKind,
    CallbackRecord,
    CallbackRequest,
    CallbackState,
    DeadlineRecord,
    DeadlineState,
)
from gnomon.model.states import DagRunState
from gnomon.storage.store.dag_records import run_callbacks
from gnomon.storage.store.ownership import commit, group_state

REQUEST = CallbackRequest(
    kind=CallbackKind.RUN_FAILED,
    reason="task_failure",
    calls_dag=True,
    task_id="a",
    run_state="failed",
    run_ended_at=AT,
)


def build_callback(run: RunRecord, callback_id: str = "c1") -> CallbackRecord:
    return CallbackRecord(callback_id, run.run_pk, run.dag_pk, REQUEST, AT, log="x.log")


def loaded(world: World) -> list[tuple[CallbackRecord, RunRecord]]:
    with world.db.read() as tx:
        return group_state.load_groups(tx, range(GROUPS)).callbacks


def test_a_callback_is_loaded_with_its_ended_run_until_it_has_ended(world: World) -> None:
    world.dag()
    run = world.run()
    ended = replace(run, state=DagRunState.FAILED, started_at=AT, ended_at=AT)
    callback = build_callback(run)
    world.apply(Changes(runs=[ended], callbacks={"c1": callback}))
    assert loaded(world) == [(callback, ended)]
    running = replace(callback, state=CallbackState.RUNNING, tries=1, attempt="a1", worker="w", started_at=AT + 1)
    world.apply(Changes(callbacks={"c1": running}))
    assert loaded(world) == [(running, ended)]
    over = replace(running, state=CallbackState.FAILED, attempt=None, worker=None, ended_at=AT + 2, reason="no")
    world.apply(Changes(callbacks={"c1": over, "c2": build_callback(run, "c2")}))
    assert [callback.callback_id for callback, _ in loaded(world)] == ["c2"]
    world.apply(Changes(callbacks_deleted=["c2"]))
    with world.db.read() as tx:
        assert run_callbacks.list_callbacks(tx, run.run_pk) == [over]


def test_deadlines_are_loaded_with_unfinished_runs_and_pruned_unless_missed(world: World) -> None:
    world.dag()
    run = world.run()
    pending = DeadlineRecord(run.run_pk, 0, DeadlineState.PENDING, AT, "soon")
    missed = DeadlineRecord(run.run_pk, 1, DeadlineState.MISSED, AT, None, AT + 1)
    world.apply(Changes(deadlines={(run.run_pk, 0): pending, (run.run_pk, 1): missed}))
    with world.db.read() as tx:
        assert group_state.load_groups(tx, range(GROUPS)).deadlines == {run.run_pk: [pending, missed]}
    world.apply(Changes(deadlines_deleted=[run.run_pk]))
    with world.db.read() as tx:
        assert run_callbacks.load_deadlines(tx, [run.run_pk]) == {run.run_pk: [missed]}


def test_the_average_runtime_is_that_of_the_newest_ended_runs(world: World) -> None:
    dag = world.dag()
    for number, seconds in enumerate((100, 4, 2)):
        run = world.run(run_id=f"r{number}")
        world.apply(
            Changes(runs=[replace(run, state=DagRunState.SUCCESS, started_at=AT, ended_at=AT + seconds * 1_000_000)])
        )
    world.run(run_id="unfinished")
    with world.db.read() as tx:
        averages = [
            run_callbacks.compute_average_runtime(tx, dag.dag_pk, *counts) for counts in ((2, 1), (10, 3), (10, 4))
        ]
    assert averages == [3.0, 106 / 3, None]


def test_a_deleted_run_takes_its_callbacks_and_deadlines_along(world: World) -> None:
    dag = world.dag()
    for delete in ("run", "dag"):
        run = world.run(run_id=f"r-{delete}")
        deadline = DeadlineRecord(run.run_pk, 0, DeadlineState.PENDING, AT)
        world.apply(Changes(callbacks={delete: build_callback(run, delete)}, deadlines={(run.run_pk, 0): deadline}))
        with world.db.scheduler_write(world.me) as tx:
            if delete == "run":
                commit.delete_runs(tx, [run.run_pk])
            else:
                commit.delete_dags(tx, [dag.dag_pk])
        with world.db.read() as tx:
            assert (
                run_callbacks.list_callbacks(tx, run.run_pk) == []
                and run_callbacks.load_deadlines(tx, [run.run_pk]) == {}
            )
        world.apply(Changes(callbacks={delete: build_callback(run, delete)}))
        assert loaded(world) == []
