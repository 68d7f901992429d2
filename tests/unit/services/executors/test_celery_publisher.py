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

from gnomon.services.executors import celery_broker
from gnomon.services.executors.celery_broker import BATCH_MAX, CeleryPublisher, CelerySettings, create_celery_app

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


def test_messages_of_a_batch_that_fails_are_all_sent_again(
    world: PublisherWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(celery_broker, "RETRY_S", 0.01)
    world.publisher.fails = 2
    world.publish("a1", "a2", "a3")
    world.publisher.may_send.set()
    assert world.await_published(3) == ["a1", "a2", "a3"]
    assert world.publisher.sizes == [3, 3, 3]
    assert set(world.take_messages()) == {"a1", "a2", "a3"}


def _refuse(world: PublisherWorld) -> str:
    """A queue that the broker refuses: RabbitMQ a reserved name, Redis a key that is no list."""
    import kombu

    if world.url.startswith("amqp"):
        return "amq.gnomon-test"
    name = f"{world.queue}-text"
    with kombu.Connection(world.url) as connection:
        connection.default_channel.client.set(name, "text", ex=600)
    return name


def test_a_queue_that_the_broker_refuses_keeps_no_message_of_another_one(
    world: PublisherWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """A DAG with `queue="amq.x"` kept all tasks of the scheduler from their workers."""
    refused = _refuse(world)
    world.publisher.publish("bad", refused)
    world.publish("a1")
    world.publisher.may_send.set()
    assert world.await_published(1) == ["a1"]
    world.publisher.publish("worse", refused)
    world.publish("a2")
    assert world.await_published(1) == ["a2"]
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [("ERROR", "queue_refused")]
    assert world.take_messages() == ["a1", "a2"]


@pytest.mark.parametrize("world", ["redis"], indirect=True)
def test_the_messages_of_a_refused_queue_are_sent_once_the_broker_takes_them(
    world: PublisherWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kombu

    monkeypatch.setattr(celery_broker, "REFUSED_S", 0.05)
    monkeypatch.setattr(celery_broker, "RETRY_S", 0.05)
    refused = _refuse(world)
    for attempt_id in ("a1", "a2", "a1"):
        world.publisher.publish(attempt_id, refused)
    world.publisher.may_send.set()
    assert world.publisher.take_published() == []
    with kombu.Connection(world.url) as connection:
        connection.default_channel.client.delete(refused)
    assert sorted(set(world.await_published(2))) == ["a1", "a2"]
    world.queue = refused
    assert sorted(set(world.take_messages())) == ["a1", "a2"]


@pytest.mark.parametrize("world", ["rabbitmq"], indirect=True)
def test_a_queue_with_other_arguments_is_used_as_it_is(world: PublisherWorld, caplog: pytest.LogCaptureFixture) -> None:
    """A quorum queue, which an operator has declared."""
    import kombu

    with kombu.Connection(world.url) as connection:
        connection.default_channel.queue_declare(
            world.queue, durable=True, auto_delete=False, arguments={"x-queue-type": "quorum"}
        )
    world.publish("a1", "a2")
    world.publisher.may_send.set()
    assert world.await_published(2) == ["a1", "a2"]
    assert [record.levelname for record in caplog.records if record.levelname != "INFO"] == []
    assert world.take_messages() == ["a1", "a2"]
