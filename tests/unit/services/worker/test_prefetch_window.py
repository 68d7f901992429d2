"""The window of messages against a broker in memory, over random sequences: whatever happens, a worker holds what it can run, and what it could run does not stay at the broker.

What is true is counted by brute force: by the broker, which knows what it has given over which connection and to which consumer, and by the worker process, which knows what it runs.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.services.worker.consumer_process import Hub, WorkerProcess

from gnomon.services.worker.remote.message_carrier import (
    ABOUT_ALL,
    ENDS_REST,
    GIVEN_BACK,
    HELD_MAX_S,
    RESTS,
    Delivery,
    MessageCarrier,
)
from gnomon.services.worker.remote.prefetch_window import PrefetchWindow

SEED = int(os.environ.get("WINDOW_SEED", "28"))
KINDS = ("redis", "rabbitmq", "quorum")
ROUNDS, STEPS = 40, 60


@dataclass(frozen=True)
class Given:
    """A message that was given and is not acknowledged."""

    attempt_id: str
    consumer: int
    """The number of the consumer on its connection; with a quorum queue each has a window of its own."""


class Broker:
    """One queue, and the one connection of the worker: what Celery's consumer, kombu and the broker do with the window, as their documentations say."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.queue: deque[str] = deque()
        self.acknowledged: list[str] = []
        self._tags = 0
        self.connect()

    def connect(self) -> None:
        """A new connection. What was not acknowledged over the last one comes again."""
        self.queue.extendleft(reversed([one.attempt_id for one in getattr(self, "given", {}).values()]))
        self.given: dict[int, Given] = {}
        """By delivery tag."""
        self.hub = Hub()
        self.prefetch = 0
        self.is_consuming = False
        self.consumer_number, self.consumer_prefetch = 0, 0
        self.initial_prefetch_count = 0
        self.task_consumer: Any = None
        self.qos: Any = None
        self.qos_global = self.kind == "rabbitmq"
        self.connection = SimpleNamespace(
            transport=SimpleNamespace(driver_type="redis" if self.kind == "redis" else "amqp")
        )
        self.on_message: Callable[[str, Delivery], None] = lambda _attempt_id, _delivery: None

    def begin_to_consume(self) -> None:
        """As Celery does once the strategies of the connection have been made."""
        from kombu.common import QoS

        self.prefetch = self.initial_prefetch_count
        channel = SimpleNamespace(qos=SimpleNamespace(is_paused=False) if self.kind == "redis" else None)
        self.task_consumer = SimpleNamespace(channel=channel, cancel=self._cancel, consume=self._consume)
        self.qos = QoS(self._set_prefetch, self.initial_prefetch_count)
        self._consume()
        self.qos.update()

    def _set_prefetch(self, prefetch_count: int) -> None:
        assert prefetch_count > 0, "0 is a window without a bound"
        self.prefetch = prefetch_count

    def _cancel(self) -> None:
        self.is_consuming = False

    def _consume(self) -> None:
        if not self.is_consuming:
            self.is_consuming = True
            self.consumer_number += 1
            self.consumer_prefetch = self.prefetch

    def may_give(self) -> bool:
        """Whether the broker would give a message now."""
        if not self.queue or not self.is_consuming:
            return False
        if self.kind == "quorum":
            return sum(one.consumer == self.consumer_number for one in self.given.values()) < self.consumer_prefetch
        return len(self.given) < self.prefetch and not (
            self.kind == "redis" and self.task_consumer.channel.qos.is_paused
        )

    def give(self, now: float) -> None:
        """Give the next message."""
        attempt_id = self.queue.popleft()
        self._tags += 1
        self.given[self._tags] = Given(attempt_id, self.consumer_number)
        self.on_message(
            attempt_id,
            Delivery(
                self._tags,
                partial(self._acknowledge, self.given, self._tags),
                partial(self._requeue, self.given, self._tags),
                now,
            ),
        )

    def _acknowledge(self, given: dict[int, Given], tag: int) -> None:
        if given is self.given:  # else its connection has ended
            self.acknowledged.append(given.pop(tag).attempt_id)

    def _requeue(self, given: dict[int, Given], tag: int) -> None:
        if given is self.given:
            self.queue.appendleft(given.pop(tag).attempt_id)


class WindowWorld:
    """A worker of `slots` slots whose window is `size`, and its broker."""

    def __init__(self, kind: str, slots: int, size: int, folder: Path) -> None:
        self.slots, self.size = slots, size
        self.broker = Broker(kind)
        self.process = WorkerProcess(folder / "intake.sock")
        self.window = PrefetchWindow(size)
        self.carrier = MessageCarrier(
            str(folder / "intake.sock"), slots, self.window.set_unbacked, self.window.set_resting
        )
        self.is_resting = False
        """The worker process can claim nothing for now."""
        self.running: list[str] = []
        """What the worker process runs."""
        self.reported: list[str] = []
        """What needs its slot no more, and is being reported."""
        self.ran: list[str] = []
        self.now = 0.0
        self._numbers = 0
        self.begin_connection()

    def begin_connection(self) -> None:
        broker = self.broker
        self.window.begin_connection(broker)
        self.carrier.begin_connection(broker.hub)
        self.window.open(self.carrier)
        broker.on_message = lambda attempt_id, delivery: self.carrier.take(attempt_id, "t", delivery)
        broker.begin_to_consume()

    # ---- what may happen ---------------------------------------------------------------------------------------------
    def publish(self, rng: random.Random) -> None:
        for _ in range(rng.randint(1, 2 * self.size)):
            self._numbers += 1
            self.broker.queue.append(f"a{self._numbers}")

    def publish_again(self, rng: random.Random) -> None:
        """A second message about an attempt that waits, runs or has run."""
        known = [
            *self.running,
            *self.reported,
            *self.broker.queue,
            *(one.attempt_id for one in self.broker.given.values()),
        ]
        if known:
            self.broker.queue.append(rng.choice(known))

    def give(self, rng: random.Random) -> None:
        if self.broker.may_give():
            self.broker.give(self.now)

    def free_slot(self, rng: random.Random) -> None:
        if self.running:
            attempt_id = self.running.pop(rng.randrange(len(self.running)))
            self.reported.append(attempt_id)
            self._answer(attempt_id, None)

    def end(self, rng: random.Random) -> None:
        if self.reported:
            self._answer(self.reported.pop(rng.randrange(len(self.reported))), "success")

    def end_at_once(self, rng: random.Random) -> None:
        """As an attempt whose claim is refused."""
        if self.running:
            self._answer(self.running.pop(rng.randrange(len(self.running))), "was not claimed")

    def rest(self, rng: random.Random) -> None:
        """The api-server does not answer; what was not claimed in time goes back."""
        if not self.is_resting and self.process.sock is not None:
            self.is_resting = True
            self._answer_number(ABOUT_ALL, RESTS)
            for attempt_id in [one for one in self.running if rng.random() < 0.5]:
                self.running.remove(attempt_id)
                self._answer(attempt_id, GIVEN_BACK)

    def end_rest(self, rng: random.Random) -> None:
        if self.is_resting:
            self.is_resting = False
            self._answer_number(ABOUT_ALL, ENDS_REST)

    def lose_connection(self, rng: random.Random) -> None:
        self.broker.connect()
        self.begin_connection()

    def pass_time(self, rng: random.Random) -> None:
        self.now += HELD_MAX_S
        if self.broker.kind != "redis":
            assert [timer.is_cancelled for timer in self.broker.hub.timers] == [False]
            self.carrier.release_held(self.now)

    def run_soon(self, rng: random.Random) -> None:
        self.broker.hub.run_soon()
        self.take_given()

    def _answer(self, attempt_id: str, outcome: str | None) -> None:
        if self.process.sock is not None:
            self._answer_number(self.process.numbers[attempt_id], outcome)

    def _answer_number(self, number: int, outcome: str | None) -> None:
        if self.process.sock is None:
            return  # the consumer has no connection to the worker process before its first message
        self.process.answer_number(number, outcome)
        self.broker.hub.read()
        self.take_given()

    def take_given(self) -> None:
        """What the consumer has given to the worker process."""
        if self.process.sock is None:
            if not self.process.is_called():
                return
            self.process.accept()
        for attempt_id, _token in self.process.get_all():
            assert attempt_id not in self.running, "an attempt runs once at a time"
            self.running.append(attempt_id)
            self.ran.append(attempt_id)

    def settle(self) -> None:
        """Let everything happen that needs nothing from outside."""
        self.take_given()
        while self.broker.may_give() or self.broker.hub.soon:
            while self.broker.may_give():
                self.broker.give(self.now)
            self.broker.hub.run_soon()
            self.take_given()

    # ---- what must be true -------------------------------------------------------------------------------------------
    def check(self) -> None:
        """The laws, once everything has settled."""
        broker = self.broker
        waiting = {one.attempt_id for one in broker.given.values()} - set(self.running) - set(self.reported)
        assert len(self.running) <= self.slots
        if self.is_resting:
            assert not waiting, f"{waiting} wait in a worker that can claim nothing"
            return
        assert not (waiting and len(self.running) < self.slots), f"{waiting} wait beside a free slot"
        assert len(waiting) + len(self.running) <= self.size, (
            f"{waiting} were fetched for slots that are not free: {self.running}"
        )
        held = {*self.running, *waiting, *(message.attempt_id for message in self.carrier._waiting)}
        assert not broker.queue or len(held) >= self.size, (
            f"{list(broker.queue)} stay at the broker, and the worker holds {held}"
        )
        assert not {one.attempt_id for one in broker.given.values()} & set(self.reported), (
            "a message is held for a slot that is free"
        )

    def finish(self, rng: random.Random) -> None:
        """Everything that was published runs, and nothing is left."""
        self.end_rest(rng)
        for _ in range(20 * (self._numbers + 1)):
            self.settle()
            self.check()
            self.free_slot(rng)
            self.end(rng)
        self.settle()
        assert not self.broker.queue and not self.broker.given and not self.running
        assert {f"a{number}" for number in range(1, self._numbers + 1)} == set(self.ran)

    def close(self) -> None:
        self.carrier.close()
        self.process.close()


@contextmanager
def _world(kind: str, slots: int, size: int) -> Iterator[WindowWorld]:
    with tempfile.TemporaryDirectory(prefix="gnw-") as folder:
        made = WindowWorld(kind, slots, size, Path(folder))
        try:
            yield made
        finally:
            made.close()


ACTS: dict[Callable[[WindowWorld, random.Random], None], int] = {
    WindowWorld.publish: 3,
    WindowWorld.publish_again: 3,
    WindowWorld.give: 10,
    WindowWorld.free_slot: 8,
    WindowWorld.end: 6,
    WindowWorld.end_at_once: 2,
    WindowWorld.lose_connection: 1,
    WindowWorld.pass_time: 1,
    WindowWorld.run_soon: 6,
    WindowWorld.rest: 1,
    WindowWorld.end_rest: 2,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_holds_what_it_can_run_and_nothing_that_it_could_run_stays_at_the_broker(kind: str) -> None:
    _play(kind, ROUNDS, SEED)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_over_a_hundred_times_as_many_sequences(kind: str) -> None:
    _play(kind, 100 * ROUNDS, SEED + 1_000_000)


def _play(kind: str, rounds: int, seed: int) -> None:
    for number in range(rounds):
        rng = random.Random(seed + number)
        slots = rng.randint(1, 3)
        with _world(kind, slots, slots * rng.randint(1, 3)) as world:
            done: list[str] = []
            try:
                for _ in range(STEPS):
                    act = rng.choices(list(ACTS), list(ACTS.values()))[0]
                    done.append(act.__name__)
                    act(world, rng)
                    if rng.random() < 0.3:
                        done.append("settle")
                        world.settle()
                        world.check()
                world.finish(rng)
            except AssertionError as error:
                raise AssertionError(
                    f"WINDOW_SEED={seed + number}, {slots} slots, a window of {world.size}, after {done}: {error}"
                ) from error


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_worker_that_connects_again_keeps_no_message_that_another_one_could_run(kind: str) -> None:
    rng = random.Random(0)
    with _world(kind, 2, 2) as world:
        world.broker.queue.extend(["a1", "a2"])
        world.settle()
        world.broker.connect()
        world.broker.queue = deque(
            ["b1", "b2", "b3"]
        )  # the messages of what runs went to other workers, which acknowledged them
        world.begin_connection()
        world.broker.give(world.now)  # before the consumer could be paused
        world.settle()
        assert (world.running, list(world.broker.queue)) == (["a1", "a2"], ["b1", "b2", "b3"])
        world.free_slot(rng)
        world.settle()
        assert (world.running[1:], list(world.broker.queue)) == (["b1"], ["b2", "b3"])
