"""Messages of Redis that wait for their acknowledgement are written to the list of unacknowledged messages, later."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from tests.brokers import require_broker

from gnomon.services.worker.remote.attempt_message import RefusedMessages
from gnomon.services.worker.remote.redis_unacked import UnackedWriter
from gnomon.services.worker.remote.shared_numbers import SharedCount

kombu = pytest.importorskip("kombu")


class Timer:
    """A timer that fires when it is told to."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], object]] = []

    def call_repeatedly(self, _seconds: float, call: Callable[[], object]) -> Any:
        self.calls.append(call)
        return SimpleNamespace(cancel=lambda: self.calls.remove(call))


class ReceivingChannel:
    """A channel that receives from a queue of its own."""

    def __init__(self) -> None:
        self.connection = kombu.Connection(
            require_broker("redis"), transport_options={"global_keyprefix": uuid.uuid4().hex}
        )
        self.timer = Timer()
        self.channel = self.connection.default_channel
        self.writer = UnackedWriter()
        self.begin()
        self.queue = kombu.Queue("q", kombu.Exchange("q"), routing_key="q")(self.channel)
        self.queue.declare()

    def begin(self) -> None:
        self.writer.begin_connection(
            SimpleNamespace(connection=self.connection, hub=SimpleNamespace(timer=self.timer)),
            RefusedMessages(SharedCount()),
        )

    def receive(self) -> Any:
        kombu.Producer(self.channel).publish({"n": 1}, routing_key="q", exchange="q")
        return self.queue.get()

    def count_unacked(self) -> int:
        return int(self.channel.client.hlen(self.channel.unacked_key))


@pytest.fixture
def receiving() -> Iterator[ReceivingChannel]:
    made = ReceivingChannel()
    yield made
    with made.channel.conn_or_acquire() as client:
        for key in client.keys("*"):
            client.delete(key.decode().removeprefix(made.channel.global_keyprefix))
    made.connection.close()


def test_a_message_that_is_acknowledged_soon_is_never_written(receiving: ReceivingChannel) -> None:
    message = receiving.receive()
    assert (receiving.count_unacked(), len(receiving.channel.qos._delivered)) == (0, 1)
    message.ack()
    receiving.channel.qos.write(float("inf"))
    assert receiving.count_unacked() == 0


def test_a_message_that_waits_is_written_and_deleted_when_it_is_acknowledged(receiving: ReceivingChannel) -> None:
    message = receiving.receive()
    [call] = receiving.timer.calls
    call()
    assert receiving.count_unacked() == 0  # it has not waited long enough
    receiving.channel.qos.write(float("inf"))
    assert receiving.count_unacked() == 1
    message.ack()
    assert receiving.count_unacked() == 0


def test_a_message_that_was_not_written_returns_to_its_queue_at_the_end(receiving: ReceivingChannel) -> None:
    receiving.receive()
    receiving.channel.qos.restore_unacked()
    assert receiving.queue.get() is not None


def test_a_new_connection_ends_the_timer_of_the_old_one(receiving: ReceivingChannel) -> None:
    message = receiving.receive()
    receiving.begin()
    assert not receiving.timer.calls  # this channel has received messages already: it keeps what it has
    message.ack()
