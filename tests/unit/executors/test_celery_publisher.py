"""Messages that wait together are given to the broker together."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from tests.brokers import require_broker
from tests.patience import PATIENCE_S

from gnomon.executors import celery_broker
from gnomon.executors.celery_broker import BATCH_MAX, CeleryPublisher, CelerySettings, create_celery_app

pytest.importorskip("celery")


class HeldPublisher(CeleryPublisher):
    """Sends nothing before `may_send` is set; its faults come from `fails`."""

    def __init__(self, url: str) -> None:
        self.may_send = threading.Event()
        self.sizes: list[int] = []
        """Of the batches that it has begun to send."""
        self.fails = 0
        """How many messages from now on fail at the broker."""
        super().__init__(create_celery_app(CelerySettings(url)), lambda attempt_id: f"token of {attempt_id}")

    def _take_waiting(self) -> list[tuple[str, str]]:
        self.may_send.wait()
        return super()._take_waiting()

    def _send_together(self, producer: Any, messages: list[tuple[str, str]]) -> None:
        self.sizes.append(len(messages))
        super()._send_together(producer, messages)

    def _send(self, producer: Any, attempt_id: str, queue_name: str) -> None:
        if self.fails and attempt_id == "a2":
            self.fails -= 1
            raise OSError("the broker refuses it")
        super()._send(producer, attempt_id, queue_name)


class PublisherWorld:
    """A publisher, and a queue of its own."""

    def __init__(self, broker: str) -> None:
        self.url = require_broker(broker)
        self.queue = f"gnomon-test-{uuid.uuid4().hex}"
        self.publisher = HeldPublisher(self.url)

    def publish(self, *attempt_ids: str) -> None:
        for attempt_id in attempt_ids:
            self.publisher.publish(attempt_id, self.queue)

    def await_published(self, wanted: int) -> list[str]:
        found: list[str] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < wanted and time.monotonic() < deadline:
            found += self.publisher.take_published()
            time.sleep(0.01)
        return found

    def take_messages(self) -> list[str]:
        """The attempts of the messages on the queue."""
        import kombu

        found = []
        with kombu.Connection(self.url) as connection, connection.channel() as channel:
            while (message := channel.basic_get(self.queue, no_ack=True)) is not None:
                found.append(message.headers["id"])
            channel.queue_delete(self.queue)
        return found


@pytest.fixture(params=["redis", "rabbitmq"])
def world(request: pytest.FixtureRequest) -> Iterator[PublisherWorld]:
    made = PublisherWorld(request.param)
    yield made
    made.publisher.may_send.set()
    made.publisher.close()


def test_messages_that_wait_are_sent_together(world: PublisherWorld) -> None:
    attempts = [f"a{number}" for number in range(BATCH_MAX + 1)]
    world.publish(*attempts)
    world.publisher.may_send.set()
    assert world.await_published(len(attempts)) == attempts
    assert world.publisher.sizes == [BATCH_MAX, 1]
    assert world.take_messages() == attempts


def test_messages_of_a_batch_that_fails_are_all_sent_again(world: PublisherWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(celery_broker, "RETRY_S", 0.01)
    world.publisher.fails = 2
    world.publish("a1", "a2", "a3")
    world.publisher.may_send.set()
    assert world.await_published(3) == ["a1", "a2", "a3"]
    assert world.publisher.sizes == [3, 3, 3]
    assert set(world.take_messages()) == {"a1", "a2", "a3"}
