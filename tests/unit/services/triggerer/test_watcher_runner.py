"""The end of a watcher that is cancelled at the time of an event: the code of its author after the `yield` runs first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from gnomon.services.triggerer import trigger_runner
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.trigger_runner import RunningTrigger, run_watcher

pytestmark = pytest.mark.pure

LATE_S = 60.0


class Broker:
    """A trigger that acknowledges each message after its `yield`; what happens is noted."""

    def __init__(self, *messages: str) -> None:
        self.notes: list[str] = []
        self.queue: asyncio.Queue[str] = asyncio.Queue()
        for message in messages:
            self.queue.put_nowait(message)

    async def run(self) -> AsyncGenerator[object, None]:
        try:
            while True:
                message = await self.queue.get()
                yield message
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                self.notes.append(f"acknowledged {message}")
        finally:
            self.notes.append("closed")


class Store:
    """Stores events when the test lets it."""

    on_kill_s = 1.0

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self.asked = asyncio.Event()
        self.may_store = asyncio.Event()

    def open_events(self, running: RunningTrigger) -> object:
        return running.trigger.run()

    async def publish_event(self, running: RunningTrigger, event: object) -> None:
        self.asked.set()
        await self.may_store.wait()
        self._notes.append(f"stored {event}")

    def on_result(self, running: RunningTrigger, fired: object) -> None:
        self._notes.append("fired")

    def on_finished(self, running: RunningTrigger) -> None:
        self._notes.append("finished")


def start(broker: Broker) -> tuple[RunningTrigger, Store]:
    running = RunningTrigger(1, "x.Broker", TriggerTaskInstance(dag_id="", run_id="", task_id=""))
    running.trigger = broker
    store = Store(broker.notes)
    running.task = asyncio.get_running_loop().create_task(run_watcher(running, store))
    return running, store


def stop(running: RunningTrigger) -> None:
    running.is_stopped = True
    running.cancel(asyncio.get_running_loop())


async def turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_an_event_that_is_being_stored_is_acknowledged_before_the_watcher_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trigger_runner, "AFTER_EVENT_S", LATE_S)

    async def run() -> None:
        broker = Broker("a", "b")
        running, store = start(broker)
        await store.asked.wait()
        stop(running)
        await turns()
        assert broker.notes == []
        store.may_store.set()
        await turns()
        assert broker.notes == ["stored a", "acknowledged a", "stored b", "acknowledged b"], (
            "b was read from its source meanwhile"
        )
        running._cancel_now()  # the time is over
        assert running.task is not None
        await running.task
        assert broker.notes[4:] == ["closed", "finished"]

    asyncio.run(run())


def test_a_watcher_that_is_stopped_long_after_its_event_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trigger_runner, "AFTER_EVENT_S", -LATE_S)

    async def run() -> None:
        broker = Broker("a")
        running, store = start(broker)
        store.may_store.set()
        await turns()
        stop(running)
        assert running.task is not None
        await running.task
        assert broker.notes == ["stored a", "acknowledged a", "closed", "finished"]

    asyncio.run(run())


def test_a_busy_watcher_ends_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trigger_runner, "AFTER_EVENT_S", 0.01)

    async def run() -> None:
        broker = Broker(*map(str, range(100_000)))
        running, store = start(broker)
        await store.asked.wait()
        stop(running)
        store.may_store.set()
        assert running.task is not None
        await running.task
        assert broker.notes[-2:] == ["closed", "finished"] and not broker.queue.empty()
        stored = [note for note in broker.notes if note.startswith("stored")]
        acknowledged = [note for note in broker.notes if note.startswith("acknowledged")]
        assert len(stored) - len(acknowledged) in (0, 1)

    asyncio.run(run())
