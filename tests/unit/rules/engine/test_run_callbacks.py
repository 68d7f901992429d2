"""Callbacks of a run: queued with its end, called on a worker, and kept until a worker reports their end."""

from __future__ import annotations

import pytest

from gnomon.model.attempts import Attempt
from gnomon.model.records import RunRecord
from gnomon.model.run_callbacks import CallbackKind, CallbackRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.lifecycle.run_callbacks import CALLBACK_TRIES, END_GRACE_S

from .world import GROUP, World, chain, dag_record

BOTH = (CallbackKind.RUN_SUCCEEDED.value, CallbackKind.RUN_FAILED.value)


def _world(*tasks: TaskSpec, slots: int = 32, **fields: object) -> World:
    return World(dag_record(tasks or chain("a"), **{"run_callbacks": BOTH, **fields}), slots=slots)


def _live(world: World) -> Attempt:
    (attempt,) = (world.sent[attempt_id] for attempt_id in world.engine_state.callback_attempts)
    return attempt


def _only(world: World) -> CallbackRecord:
    (callback,) = world.callbacks.values()
    return callback


def _enter(world: World) -> None:
    world.step(e.AuthorCodeEntered(_live(world).attempt_id, world.now), seconds=1)


def test_the_end_of_a_run_owes_its_callback_once_and_submits_it() -> None:
    world = _world()
    run = world.start()
    decided = world.end("a")
    assert world.state(run) == "success"
    attempt = _live(world)
    assert decided.submits == {"w": [attempt]}
    assert (attempt.kind, attempt.task_id, attempt.run.state) == ("callback", "a", "success")
    assert attempt.callback is not None
    assert (attempt.callback.kind, attempt.callback.reason, attempt.callback.task_state) == (
        "run_succeeded",
        "success",
        "success",
    )
    world.step(seconds=1)
    assert len(world.callbacks) == 1


def test_a_run_without_callbacks_owes_nothing() -> None:
    world = _world(run_callbacks=(CallbackKind.RUN_FAILED.value,))
    world.start()
    world.end("a")
    assert world.callbacks == {}


def test_the_context_of_a_failure_is_that_of_the_task_that_failed_last() -> None:
    world = _world(TaskSpec(task_id="a"), TaskSpec(task_id="b"), TaskSpec(task_id="c"))
    run = world.start()
    world.end("a", "failed")
    world.end("b", "failed", reason="boom")
    world.end("c")
    assert world.state(run) == "failed"
    request = _only(world).request
    assert (request.kind, request.reason, request.task_id, request.task_state) == (
        "run_failed",
        "task_failure",
        "b",
        "failed",
    )


def test_a_timeout_calls_the_callback_for_a_task_that_it_stopped() -> None:
    world = _world(dagrun_timeout_s=10.0)
    run = world.start()
    world.step(seconds=11)
    assert world.state(run) == "failed"
    request = _only(world).request
    assert (request.kind, request.reason, request.task_id) == ("run_failed", "timed_out", "a")


@pytest.mark.parametrize("state", ["success", "failed"])
def test_a_mark_by_a_user_calls_no_callback_of_the_dag_as_in_airflow(state: str) -> None:
    world = _world()
    run = world.start()
    world.step(e.MarkRun(run.run_pk, state, "me"), seconds=1)
    assert world.state(run) == state
    assert world.callbacks == {}


def test_a_mark_by_a_user_calls_listeners() -> None:
    world = _world(run_listeners=BOTH)
    run = world.start()
    world.step(e.MarkRun(run.run_pk, "failed", "me"), seconds=1)
    request = _only(world).request
    assert (request.kind, request.calls_dag) == ("run_failed", False)


def test_listeners_of_the_start_are_owed_when_the_run_starts() -> None:
    world = _world(run_callbacks=(), run_listeners=(CallbackKind.RUN_STARTED.value,))
    world.start()
    assert _only(world).request.kind == "run_started"


def test_the_end_of_a_run_is_told_after_the_listeners_of_its_start_have_ended() -> None:
    kinds = (CallbackKind.RUN_STARTED.value, CallbackKind.RUN_SUCCEEDED.value)
    world = _world(run_callbacks=(), run_listeners=kinds)
    world.start()
    started = _live(world)
    world.end("a")
    assert sorted(callback.request.kind for callback in world.callbacks.values()) == ["run_started", "run_succeeded"]
    assert list(world.engine_state.callback_attempts) == [started.attempt_id], "the end waits"
    _enter(world)
    world.step(world.result(started, "success"), seconds=1)
    ended = _live(world).callback
    assert ended is not None and ended.kind == "run_succeeded"


def test_a_callback_that_fails_is_not_called_again_and_the_event_log_says_why() -> None:
    world = _world()
    run = world.start()
    world.end("a")
    _enter(world)
    decided = world.step(
        world.result(_live(world), "failed", reason="on_success_callback notify: ValueError: no", retryable=False),
        seconds=1,
    )
    callback = _only(world)
    assert (callback.state, callback.tries, callback.reason) == (
        "failed",
        1,
        "on_success_callback notify: ValueError: no",
    )
    assert [(event.kind, event.run_pk, event.body) for event in decided.changes.events] == [
        ("callback_failed", run.run_pk, "run_succeeded: on_success_callback notify: ValueError: no")
    ]
    assert not world.engine_state.callbacks and not world.engine_state.callback_attempts


def test_a_callback_whose_worker_is_lost_is_called_again_until_its_tries_are_used() -> None:
    world = _world()
    world.start()
    world.end("a")
    for number in range(1, CALLBACK_TRIES + 1):
        _enter(world)
        assert _only(world).tries == number
        world.step(e.WorkerLost("w"), seconds=1)
        if number < CALLBACK_TRIES:
            assert _only(world).state == "queued"
        world.step(e.WorkerJoined("w", 32), seconds=1)
    callback = _only(world)
    assert (callback.state, callback.reason) == ("failed", "lost: worker w stopped answering")


def test_a_callback_is_loaded_after_a_restart_and_its_worker_is_asked() -> None:
    world = _world()
    world.start()
    world.end("a")
    first = _live(world)
    _enter(world)
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", 32))
    assert _live(world) == first and world.engine_state.workers["w"].used_slots == 1
    world.step(e.InventoryRead("w", {first.attempt_id: True}, groups=(GROUP,)), seconds=1)
    assert not world.step(world.result(first), seconds=1).submits
    assert _only(world).state == "success"


def test_a_callback_that_its_worker_never_got_is_submitted_again_under_the_same_id() -> None:
    world = _world()
    world.start()
    world.end("a")
    first = _live(world)
    world.engine_state = world.fresh_engine_state()
    decided = world.step(e.WorkerJoined("w", 32), e.InventoryRead("w", {}, groups=(GROUP,)))
    assert [attempt.attempt_id for attempt in decided.submits["w"]] == [first.attempt_id]


def test_a_callback_that_ignores_its_timeout_is_ended_by_its_worker() -> None:
    world = _world()
    world.start()
    world.end("a")
    _enter(world)
    timeout_s = world.limits.callback_timeout_s
    assert _live(world).timeout_s == timeout_s
    assert world.step(seconds=timeout_s).cancels == []
    (order,) = world.step(seconds=END_GRACE_S).cancels
    assert (order.worker_id, order.attempt_id) == ("w", _live(world).attempt_id)
    assert "ran for longer than 10 min" in order.reason


def test_callbacks_take_a_quarter_of_a_worker_and_never_stop_tasks() -> None:
    world = _world(slots=8, max_active_runs=100)
    runs = [world.start() for _ in range(6)]
    for run in runs:
        (attempt,) = [one for one in world.live("a") if one.run.run_pk == run.run_pk]
        world.step(world.result(attempt), seconds=1)
    assert [world.state(run) for run in runs] == ["success"] * 6
    assert (len(world.engine_state.callback_attempts), len(world.engine_state.queued_callbacks)) == (2, 4)
    for _ in range(6):
        world.start()
    assert len(world.live("a")) == 6
    assert world.engine_state.workers["w"].used_slots == 8


def _finished(world: World) -> RunRecord:
    run = world.start()
    world.end("a")
    return world.runs[run.run_pk]


def test_a_cleared_run_owes_its_callback_again_at_its_next_end() -> None:
    world = _world()
    record = _finished(world)
    rows = tuple(world.rows.values())
    world.step(e.RunRead(record, rows), e.ClearTasks(record.run_pk, None, "me"), seconds=1)
    world.end("a")
    assert len(world.callbacks) == 2


def test_a_deleted_run_ends_the_process_of_its_callback() -> None:
    world = _world()
    record = _finished(world)
    attempt_id = _live(world).attempt_id
    decided = world.step(e.RunRead(record), e.DeleteRun(record.run_pk, "me"), seconds=1)
    assert [(order.attempt_id, order.reason) for order in decided.cancels] == [(attempt_id, "deleted by me")]
    assert not world.engine_state.callbacks


@pytest.mark.parametrize(
    ("fields", "pending"),
    [
        ({"callbacks_called": True}, 0),
        ({"callbacks_called": False, "reason": "killed"}, 1),
        ({"callbacks_called": False, "entered": False}, 0),
    ],
)
def test_a_task_whose_process_was_killed_queues_its_own_callbacks(fields: dict[str, object], pending: int) -> None:
    world = _world(TaskSpec(task_id="a", has_failure_callbacks=True, retries=1), run_callbacks=())
    world.start()
    world.end("a", "failed", **fields)
    requests = [callback.request for callback in world.callbacks.values()]
    assert [(request.kind, request.task_id, request.task_state, request.reason) for request in requests] == [
        ("task_ended", "a", "up_for_retry", "killed")
    ] * pending


def test_a_task_whose_worker_is_lost_queues_its_own_callbacks() -> None:
    world = _world(TaskSpec(task_id="a", has_failure_callbacks=True), run_callbacks=())
    run = world.start()
    world.step(e.AuthorCodeEntered(world.live("a")[0].attempt_id, world.now), seconds=1)
    world.step(e.WorkerLost("w"), seconds=1)
    assert world.state(run) == "failed"
    assert _only(world).request.reason == "lost: worker w stopped answering"
