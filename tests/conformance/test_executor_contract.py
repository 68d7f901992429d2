"""What the scheduler may expect of any executor: every implementation of `executors.interface.Executor` runs this."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.conformance.workerworld import WorkerWorld, ended

from gnomon.clock import VirtualClock
from gnomon.executors.interface import (
    AttemptEnded,
    AttemptEntered,
    AttemptRefused,
    Executor,
    ExecutorEvent,
    InventoryReceived,
    WorkerConnected,
    WorkerUnreachable,
)
from gnomon.executors.local import LocalExecutor
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.records import WorkerRecord
from gnomon.testing.scripted import Play, ScriptedExecutor, ScriptedWorker

Enough = Callable[[Sequence[ExecutorEvent]], bool]


class ExecutorWorld(Protocol):
    """An execution engine with one worker. The task ids `succeed`, `fail` and `sleep` do what they say."""

    worker_id: str
    executor: Executor

    def attempt(self, task_id: str, **fields: Any) -> Attempt: ...

    def another(self) -> Executor:
        """A second scheduler's connection to the same worker."""

    def record(self) -> WorkerRecord: ...

    def wait(self, enough: Enough, executor: Executor | None = None) -> list[ExecutorEvent]: ...

    def close(self) -> None: ...


class LocalWorld:
    """LocalExecutor and a worker process."""

    BODY = """
if ti.task_id == 'fail':
    raise ValueError('it was told to')
if ti.task_id == 'sleep':
    time.sleep(3600)
"""

    def __init__(self, home: Path) -> None:
        self._world = WorkerWorld(home, slots=2)
        self._file = self._world.dag("three", self.BODY)
        text = self._file.read_text().replace("    t()\n", "    for i in ('succeed', 'fail', 'sleep'):\n        t.override(task_id=i)()\n")
        self._file.write_text(text)
        self.worker_id = self._world.worker_id
        self.executor: Executor = self._world.executor
        self.record = self._world.record
        self.wait: Any = self._world.wait

    def attempt(self, task_id: str, **fields: Any) -> Attempt:
        return self._world.attempt(self._file, task_id=task_id, **fields)

    def another(self) -> Executor:
        executor = LocalExecutor("second")
        executor.refresh([self.record()])
        return executor

    def close(self) -> None:
        self._world.close()


class ScriptedWorld:
    """ScriptedExecutor and its worker under a virtual clock."""

    PLAYS = {"succeed": Play(), "fail": Play(outcome="failed", reason="ValueError: it was told to"), "sleep": Play(run_s=1e9)}

    def __init__(self) -> None:
        self._clock = VirtualClock(1_700_000_000_000_000)
        self._worker = ScriptedWorker("scripted", self._clock, lambda attempt: self.PLAYS[attempt.task_id])
        self._numbers = iter(range(1000))
        self.worker_id = "scripted"
        self.executor: Executor = self.another()
        self.wait(lambda events: any(isinstance(event, WorkerConnected) for event in events))

    def record(self) -> WorkerRecord:
        return self._worker.record()

    def attempt(self, task_id: str, **fields: Any) -> Attempt:
        run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
        facts = {"attempt_id": f"a{next(self._numbers)}", "group_no": 1, "epoch": 1, "task_no": 1, "file": "/d.py"}
        return Attempt(**{**facts, "run": run, "task_id": task_id, **fields})

    def another(self) -> Executor:
        executor = ScriptedExecutor(lambda: [self._worker])
        executor.refresh([self.record()])
        return executor

    def wait(self, enough: Enough, executor: Executor | None = None) -> list[ExecutorEvent]:
        said: list[ExecutorEvent] = []
        for _ in range(100):
            said += (executor or self.executor).poll_events()
            if enough(said):
                return said
            self._clock.advance(1)
        raise AssertionError(f"never enough: {said}")

    def close(self) -> None:
        self.executor.close()


@pytest.fixture(scope="module", params=["local", "scripted"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutorWorld]:
    made: ExecutorWorld = LocalWorld(tmp_path_factory.mktemp("e")) if request.param == "local" else ScriptedWorld()
    yield made
    made.close()


def _has_entered(attempt: Attempt) -> Enough:
    return lambda events: any(isinstance(e, AttemptEntered) and e.attempt_id == attempt.attempt_id for e in events)


def _has_ended(attempt: Attempt) -> Enough:
    return lambda events: attempt.attempt_id in ended(events)


def _inventory(events: Sequence[ExecutorEvent]) -> bool:
    return any(isinstance(event, InventoryReceived) for event in events)


def _ask(world: ExecutorWorld, groups: list[tuple[int, int]], executor: Executor | None = None) -> InventoryReceived:
    (executor or world.executor).request_inventory(world.worker_id, groups)
    return next(event for event in world.wait(_inventory, executor) if isinstance(event, InventoryReceived))


def _finish(world: ExecutorWorld, attempt: Attempt) -> None:
    world.executor.cancel(world.worker_id, attempt.attempt_id, "the test is over", 5.0)
    world.wait(_has_ended(attempt))
    world.executor.acknowledge(world.worker_id, [attempt.attempt_id])


def test_an_attempt_enters_and_then_ends(world: ExecutorWorld) -> None:
    attempt = world.attempt("succeed")
    world.executor.submit(world.worker_id, [attempt])
    events = world.wait(_has_ended(attempt))
    kinds = [type(event) for event in events if isinstance(event, AttemptEntered | AttemptEnded)]
    assert kinds == [AttemptEntered, AttemptEnded]
    assert ended(events)[attempt.attempt_id].outcome == "success"
    world.executor.acknowledge(world.worker_id, [attempt.attempt_id])


def test_a_failure_brings_its_reason(world: ExecutorWorld) -> None:
    attempt = world.attempt("fail")
    world.executor.submit(world.worker_id, [attempt])
    result = ended(world.wait(_has_ended(attempt)))[attempt.attempt_id]
    assert (result.outcome, result.reason, result.entered) == ("failed", "ValueError: it was told to", True)
    world.executor.acknowledge(world.worker_id, [attempt.attempt_id])


def test_submitting_twice_starts_once(world: ExecutorWorld) -> None:
    attempt = world.attempt("sleep", group_no=2)
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_entered(attempt))
    world.executor.submit(world.worker_id, [attempt])
    assert _ask(world, [(2, 1)]).running == ((attempt.attempt_id, True),)
    _finish(world, attempt)
    world.executor.submit(world.worker_id, [attempt])
    assert _ask(world, [(2, 1)]).running == ()


def test_a_cancelled_attempt_still_ends_with_a_result(world: ExecutorWorld) -> None:
    attempt = world.attempt("sleep")
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_entered(attempt))
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 60.0)
    result = ended(world.wait(_has_ended(attempt)))[attempt.attempt_id]
    assert (result.outcome, result.reason) == ("failed", "marked failed by ann")
    world.executor.acknowledge(world.worker_id, [attempt.attempt_id])


def test_a_lower_epoch_is_refused_and_nothing_starts(world: ExecutorWorld) -> None:
    new, old = world.attempt("sleep", group_no=3, epoch=5), world.attempt("sleep", group_no=3, epoch=4)
    world.executor.submit(world.worker_id, [new, old])
    events = world.wait(lambda events: any(isinstance(event, AttemptRefused) for event in events))
    refused = [event for event in events if isinstance(event, AttemptRefused)]
    assert [event.attempt_ids for event in refused] == [(old.attempt_id,)]
    assert [attempt_id for attempt_id, _ in _ask(world, [(3, 5)]).running] == [new.attempt_id]
    _finish(world, new)


def test_asking_for_the_inventory_raises_the_epoch(world: ExecutorWorld) -> None:
    _ask(world, [(4, 9)])
    stale = world.attempt("succeed", group_no=4, epoch=8)
    world.executor.submit(world.worker_id, [stale])
    world.wait(lambda events: any(isinstance(event, AttemptRefused) for event in events))


def test_a_result_is_kept_and_sent_to_every_new_connection_until_acknowledged(world: ExecutorWorld) -> None:
    attempt = world.attempt("succeed", group_no=5)
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_ended(attempt))
    second = world.another()
    world.wait(_has_ended(attempt), second)
    assert [result.attempt_id for result in _ask(world, [(5, 1)], second).results] == [attempt.attempt_id]
    second.acknowledge(world.worker_id, [attempt.attempt_id])
    assert _ask(world, [(5, 1)], second).results == ()
    second.close()


def test_the_inventory_is_of_the_asked_groups_alone(world: ExecutorWorld) -> None:
    attempt = world.attempt("sleep", group_no=6)
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_entered(attempt))
    taken = _ask(world, [(7, 1)])
    assert (taken.groups, taken.running, taken.results) == ((7,), (), ())
    _finish(world, attempt)


def test_nothing_raises_for_a_worker_that_is_not_there(world: ExecutorWorld) -> None:
    attempt = world.attempt("succeed")
    world.executor.submit("nobody", [attempt])
    world.executor.cancel("nobody", attempt.attempt_id, "x", 1.0)
    world.executor.acknowledge("nobody", [attempt.attempt_id])
    world.executor.request_inventory("nobody", [(1, 1)])
    assert world.executor.poll_events() == []


def test_a_worker_that_is_not_live_any_more_is_let_go(world: ExecutorWorld) -> None:
    second = world.another()
    world.wait(lambda events: any(isinstance(event, WorkerConnected) for event in events), second)
    second.refresh([])
    assert WorkerUnreachable(world.worker_id) in world.wait(
        lambda events: any(isinstance(event, WorkerUnreachable) for event in events), second
    )
    second.close()
