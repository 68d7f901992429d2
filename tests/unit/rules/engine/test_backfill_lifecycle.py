"""Backfills in memory: which limit counts a run, and what a cancelled backfill means for the failures of its DAG."""

from __future__ import annotations

from gnomon.model.backfills import BackfillRecord
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunType
from gnomon.rules.engine import events as e
from gnomon.services.scheduler.asset_runs import _compute_room

from .world import GROUP, World, chain, dag_record


def _backfill(**fields: object) -> BackfillRecord:
    return BackfillRecord(9, 1, GROUP, 0, 10**9, "completed", 5, False, {}, 10**9, "ann", is_planned=True, **fields)  # type: ignore[arg-type]


def _add_run(
    world: World, run_type: DagRunType, *, backfill_pk: int | None = None, run_after: int | None = None
) -> RunRecord:
    run = world.new_run(run_after=run_after)
    for record in (run, world.runs[run.run_pk]):
        record.run_type, record.backfill_pk = run_type, backfill_pk
    return run


def test_a_run_by_hand_that_a_backfill_runs_again_is_counted_by_the_backfill_alone() -> None:
    """The type of a run by hand stays; that a backfill runs it decides which limit counts it."""
    world = World(dag_record(chain("a"), max_active_runs=1, overlap="cancel_running"))
    world.step(e.BackfillRead(_backfill()))
    by_hand = _add_run(world, DagRunType.MANUAL, backfill_pk=9)
    world.step(e.RunRead(by_hand))
    assert _compute_room(world.engine_state.dags[1]) == 1
    due = _add_run(world, DagRunType.SCHEDULED, run_after=world.now + 1)
    world.step(e.RunRead(due), seconds=1)
    assert [world.state(run) for run in (by_hand, due)] == ["running", "running"]
    assert _compute_room(world.engine_state.dags[1]) == 0


def test_a_run_that_was_marked_failed_in_the_step_that_cancels_the_backfill_is_still_a_failure() -> None:
    world = World(dag_record(chain("a"), max_active_runs=2, max_consecutive_failed_dag_runs=1))
    world.step(e.BackfillRead(_backfill(paused=True)))
    running = world.start()
    waiting = _add_run(world, DagRunType.BACKFILL, backfill_pk=9)
    world.step(e.RunRead(waiting))
    cancelled = e.BackfillRead(_backfill(cancelled_by="ann"))
    both = world.step(e.MarkRun(running.run_pk, "failed", "ann"), cancelled, seconds=1)
    assert [world.state(run) for run in (running, waiting)] == ["failed", "failed"]
    assert both.failing_dags == {1}


def test_a_run_that_a_cancelled_backfill_fails_is_no_failure_of_its_dag() -> None:
    world = World(dag_record(chain("a"), max_consecutive_failed_dag_runs=1))
    world.step(e.BackfillRead(_backfill(paused=True)))
    world.step(e.RunRead(_add_run(world, DagRunType.BACKFILL, backfill_pk=9)))
    assert world.step(e.BackfillRead(_backfill(cancelled_by="ann"))).failing_dags == set()
