"""Deadlines of runs: when they are due, what a missed one queues, and what becomes of them when a run ends first."""

from __future__ import annotations

from gnomon.model.instants import SECOND
from gnomon.model.records import RunRecord
from gnomon.model.run_callbacks import CallbackKind, DeadlineSpec, DeadlineState
from gnomon.rules.engine import events as e

from .world import World, chain, dag_record

AFTER_QUEUED = DeadlineSpec(reference="queued_at", interval_s=5.0, name="soon")


def _world(*deadlines: DeadlineSpec) -> World:
    return World(dag_record(chain("a"), deadlines=deadlines))


def _state(world: World, run: RunRecord, number: int = 0) -> DeadlineState | None:
    deadline = world.deadlines.get((run.run_pk, number))
    return None if deadline is None else deadline.state


def test_a_missed_deadline_owes_its_callback_once() -> None:
    world = _world(AFTER_QUEUED)
    run = world.start()
    assert world.deadlines[run.run_pk, 0].due_at == run.queued_at + 5 * SECOND
    world.step(seconds=4)
    assert _state(world, run) is DeadlineState.PENDING
    decided = world.step(seconds=1)
    assert _state(world, run) is DeadlineState.MISSED
    (callback,) = world.callbacks.values()
    assert (callback.request.kind, callback.request.deadline_no) == (CallbackKind.DEADLINE_MISSED, 0)
    assert ("deadline_missed", "deadline 'soon' was 1970-01-01T00:00:06.000000+00:00") in [
        (event.kind, event.body) for event in decided.changes.events
    ]
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", 32), seconds=10)
    world.end("a")
    assert len(world.callbacks) == 1


def test_a_run_that_ends_first_has_no_deadline_left() -> None:
    world = _world(AFTER_QUEUED)
    run = world.start()
    world.end("a", seconds=1)
    assert _state(world, run) is None
    world.step(seconds=60)
    assert world.callbacks == {}


def test_a_deadline_is_missed_when_the_run_ends_after_it_in_the_same_step() -> None:
    world = _world(AFTER_QUEUED)
    run = world.start()
    world.end("a", seconds=6)
    assert _state(world, run) is DeadlineState.MISSED
    assert len(world.callbacks) == 1


def test_a_pending_deadline_is_checked_after_a_restart() -> None:
    world = _world(AFTER_QUEUED)
    run = world.start()
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", 32), seconds=6)
    assert _state(world, run) is DeadlineState.MISSED


def test_a_queued_run_misses_its_deadline_too() -> None:
    world = World(dag_record(chain("a"), deadlines=(AFTER_QUEUED,), max_active_runs=1))
    world.start()
    waiting = world.start()
    world.step(seconds=6)
    assert world.state(waiting) == "queued"
    assert _state(world, waiting) is DeadlineState.MISSED


def test_a_run_without_a_logical_date_has_no_deadline_from_it() -> None:
    world = _world(DeadlineSpec(reference="logical_date", interval_s=5.0))
    run = world.start()
    assert _state(world, run) is DeadlineState.NONE


def test_a_fixed_deadline_of_the_past_is_missed_at_once() -> None:
    world = _world(DeadlineSpec(reference="fixed", at=0))
    run = world.start()
    assert _state(world, run) is DeadlineState.MISSED


def test_the_average_runtime_is_requested_and_counts_from_the_answer() -> None:
    world = _world(DeadlineSpec(reference="average_runtime", interval_s=2.0, max_runs=10))
    run = world.new_run()
    assert world.step(e.RunRead(run)).unresolved_deadlines == [(run.run_pk, 0)]
    world.step(e.DeadlineResolved(run.run_pk, 0, 3.0), seconds=1)
    assert world.deadlines[run.run_pk, 0].due_at == world.now + 5 * SECOND
    other = world.new_run()
    world.step(e.RunRead(other))
    world.step(e.DeadlineResolved(other.run_pk, 0, None))
    assert _state(world, other) is DeadlineState.NONE


def test_the_reference_of_an_author_is_computed_by_a_process_whose_callback_is_not_kept() -> None:
    world = _world(DeadlineSpec(reference="author"))
    run = world.start()
    (callback,) = world.callbacks.values()
    assert callback.request.kind == CallbackKind.DEADLINE_REFERENCE
    attempt = world.sent[callback.attempt or ""]
    world.step(world.result(attempt, resume_at=world.now + 3 * SECOND))
    assert world.callbacks == {}
    assert _state(world, run) is DeadlineState.PENDING
    world.step(seconds=3)
    assert _state(world, run) is DeadlineState.MISSED


def test_a_reference_that_fails_leaves_no_deadline_and_says_so() -> None:
    world = _world(DeadlineSpec(reference="author"))
    run = world.start()
    (callback,) = world.callbacks.values()
    decided = world.step(
        world.result(world.sent[callback.attempt or ""], "failed", reason="KeyError: 'x'", retryable=False)
    )
    assert _state(world, run) is DeadlineState.NONE
    assert "deadline 0 has no instant: KeyError: 'x'" in [event.body for event in decided.changes.events]


def test_a_cleared_run_gets_its_deadline_after_queued_at_anew() -> None:
    world = _world(AFTER_QUEUED, DeadlineSpec(reference="fixed", at=10**12))
    run = world.start()
    world.end("a")
    world.step(
        e.RunRead(world.runs[run.run_pk], tuple(world.rows.values())), e.ClearTasks(run.run_pk, None, "me"), seconds=1
    )
    assert world.deadlines[run.run_pk, 0].due_at == world.now + 5 * SECOND
    assert _state(world, run, 1) is None
