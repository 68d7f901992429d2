"""What the scheduler may expect of any executor: every implementation of `executors.interface.Executor` runs this."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any, Protocol

import pytest
from tests.brokers import BROKERS, require_broker
from tests.conformance.celeryworld import CeleryWorld
from tests.conformance.workerworld import WorkerWorld, ended
from tests.patience import PATIENCE_S

from gnomon.entry.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import (
    AttemptEnded,
    AttemptEntered,
    AttemptRefused,
    Executor,
    ExecutorEvent,
    InventoryReceived,
    WorkerConnected,
    WorkerUnreachable,
)
from gnomon.services.executors.local import LocalExecutor

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


BODY = """
if ti.task_id == 'fail':
    raise ValueError('it was told to')
if ti.task_id == 'sleep':
    time.sleep(3600)
"""
FILE = f"""
import time
from gnomon import DAG, task

@task
def t(ti=None):
{indent(BODY.strip(), "    ")}

with DAG('d', schedule=None):
    for i in ('succeed', 'fail', 'sleep'):
        t.override(task_id=i)()
"""


class LocalWorld:
    """LocalExecutor and a worker process."""

    def __init__(self, home: Path) -> None:
        self._world = WorkerWorld(home, slots=2)
        self._file = home / "three.py"
        self._file.write_text(FILE)
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

    PLAYS = {
        "succeed": Play(),
        "fail": Play(outcome="failed", reason="ValueError: it was told to"),
        "sleep": Play(run_s=1e9),
    }

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


class Worlds:
    """One world of each kind for all tests, made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, ExecutorWorld] = {}

    def find(self, kind: str) -> ExecutorWorld:
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        return self._made[kind]

    def _make(self, kind: str) -> ExecutorWorld:
        if kind == "local":
            return LocalWorld(self._folder)
        return ScriptedWorld() if kind == "scripted" else CeleryWorld(require_broker(kind), FILE)

    def close(self) -> None:
        for world in self._made.values():
            world.close()


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    made = Worlds(tmp_path_factory.mktemp("e"))
    yield made
    made.close()


@pytest.fixture(params=["local", "scripted", *BROKERS])
def world(request: pytest.FixtureRequest, worlds: Worlds) -> ExecutorWorld:
    """Every executor. Those of brokers are the CeleryExecutor."""
    return worlds.find(request.param)


@pytest.fixture(params=["local", "scripted"])
def connected(request: pytest.FixtureRequest, worlds: Worlds) -> ExecutorWorld:
    """Executors that are connected to their workers. With a broker epochs are not compared: a worker claims an attempt, which its owner must wait for (CLAIM), and results are mail."""
    return worlds.find(request.param)


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
    result = ended(events)[attempt.attempt_id]
    assert result.outcome == "success"
    assert kinds == [AttemptEntered, AttemptEnded] or (
        kinds == [AttemptEnded] and result.entered and result.started_at is not None
    )
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
    deadline = time.monotonic() + PATIENCE_S
    while (running := _ask(world, [(2, 1)]).running) and time.monotonic() < deadline:
        assert running == ((attempt.attempt_id, False),), "a message about it is refused"
        time.sleep(0.05)
    assert running == ()


def test_a_cancelled_attempt_still_ends_with_a_result(world: ExecutorWorld) -> None:
    attempt = world.attempt("sleep")
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_entered(attempt))
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 60.0)
    result = ended(world.wait(_has_ended(attempt)))[attempt.attempt_id]
    assert (result.outcome, result.reason) == ("failed", "marked failed by ann")
    world.executor.acknowledge(world.worker_id, [attempt.attempt_id])


def test_a_lower_epoch_is_refused_and_nothing_starts(connected: ExecutorWorld) -> None:
    new, old = connected.attempt("sleep", group_no=3, epoch=5), connected.attempt("sleep", group_no=3, epoch=4)
    connected.executor.submit(connected.worker_id, [new, old])
    events = connected.wait(lambda events: any(isinstance(event, AttemptRefused) for event in events))
    refused = [event for event in events if isinstance(event, AttemptRefused)]
    assert [event.attempt_ids for event in refused] == [(old.attempt_id,)]
    assert [attempt_id for attempt_id, _ in _ask(connected, [(3, 5)]).running] == [new.attempt_id]
    _finish(connected, new)


def test_asking_for_the_inventory_raises_the_epoch(connected: ExecutorWorld) -> None:
    _ask(connected, [(4, 9)])
    stale = connected.attempt("succeed", group_no=4, epoch=8)
    connected.executor.submit(connected.worker_id, [stale])
    connected.wait(lambda events: any(isinstance(event, AttemptRefused) for event in events))


def test_a_result_is_kept_and_sent_to_every_new_connection_until_acknowledged(connected: ExecutorWorld) -> None:
    attempt = connected.attempt("succeed", group_no=5)
    connected.executor.submit(connected.worker_id, [attempt])
    connected.wait(_has_ended(attempt))
    second = connected.another()
    connected.wait(_has_ended(attempt), second)
    assert [result.attempt_id for result in _ask(connected, [(5, 1)], second).results] == [attempt.attempt_id]
    second.acknowledge(connected.worker_id, [attempt.attempt_id])
    assert _ask(connected, [(5, 1)], second).results == ()
    second.close()


def test_the_inventory_is_of_the_asked_groups_alone(world: ExecutorWorld) -> None:
    attempt = world.attempt("sleep", group_no=6)
    world.executor.submit(world.worker_id, [attempt])
    world.wait(_has_entered(attempt))
    taken = _ask(world, [(7, 1)])
    assert (taken.groups, taken.running, taken.results) == ((7,), (), ())
    _finish(world, attempt)


def test_nothing_raises_for_a_worker_that_is_not_there(connected: ExecutorWorld) -> None:
    attempt = connected.attempt("succeed")
    connected.executor.submit("nobody", [attempt])
    connected.executor.cancel("nobody", attempt.attempt_id, "x", 1.0)
    connected.executor.acknowledge("nobody", [attempt.attempt_id])
    connected.executor.request_inventory("nobody", [(1, 1)])
    assert connected.executor.poll_events() == []


def test_a_worker_that_is_not_live_any_more_is_let_go(connected: ExecutorWorld) -> None:
    second = connected.another()
    connected.wait(lambda events: any(isinstance(event, WorkerConnected) for event in events), second)
    second.refresh([])
    assert WorkerUnreachable(connected.worker_id) in connected.wait(
        lambda events: any(isinstance(event, WorkerUnreachable) for event in events), second
    )
    second.close()
