"""No message at a broker ends a consumer of `gnomon celery worker`, or holds one of its slots. On Redis and on RabbitMQ.

A process in place of the worker process takes what the consumer carries.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.brokers import BROKERS, delete_queues, own_rabbitmq, require_broker
from tests.conformance.hostile_messages import (
    AMQP_HEADERS,
    COMMANDS,
    JSON,
    RAW_REDIS,
    TASK,
    TOKEN,
    UNREADABLE,
    list_readable,
    mutate,
    raw_redis_order,
)
from tests.patience import PATIENCE_S

SEED = int(os.environ.get("FUZZ_SEED", "30"))
SLOTS = 2
_CONSUMER = """
import json, sys, threading, time
from gnomon.services.executors.celery_broker import CelerySettings, create_celery_app
from gnomon.services.worker.remote import celery_consumer
from gnomon.services.worker.remote.shared_numbers import SharedCount

url, queue, address, options, refused = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), SharedCount()

def report():
    last = None
    while True:
        if refused.get() != last:
            last = refused.get()
            import os; os.write(1, b"%d\\n" % last)
        time.sleep(0.05)

threading.Thread(target=report, daemon=True).start()
sys.exit(celery_consumer.consume(create_celery_app(CelerySettings(url, options)), celery_consumer.ConsumerSettings((queue,), 2, 1, "hostile@%h", "INFO"), address, lambda: None, refused))
"""


class Consumer:
    """The consumer process, its queue, and the attempts that it carries."""

    def __init__(
        self,
        url: str,
        folder: Path,
        transport_options: dict[str, object] | None = None,
        queue_arguments: dict[str, object] | None = None,
    ) -> None:
        from kombu import Connection

        self.url, self.queue = url, f"gnomon-hostile-{uuid.uuid4().hex[:12]}"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(folder / "intake.sock"))
        self._listener.listen()
        self._listener.settimeout(PATIENCE_S)
        self._sock: socket.socket | None = None
        self._log = (folder / "consumer.log").open("w+")
        self._numbers: dict[str, int] = {}
        """By attempt, the number of the newest message."""
        self.connection = Connection(url)
        self.channel: Any = self.connection.default_channel
        self.producer = self.connection.Producer(self.channel, auto_declare=False)
        self.channel.queue_declare(
            queue=self.queue, durable=True, auto_delete=False, exclusive=False, arguments=queue_arguments
        )
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _CONSUMER,
                url,
                self.queue,
                str(folder / "intake.sock"),
                json.dumps(transport_options or {}),
            ],
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def publish(self, message: dict[str, Any]) -> None:
        self.producer.publish(routing_key=self.queue, exchange="", **message)

    def publish_raw(self, *items: bytes) -> None:
        """Redis: whatever is no message."""
        self.channel.client.lpush(self.queue, *items)

    def order(self, attempt_id: str) -> None:
        self.publish(
            {
                "body": json.dumps([[attempt_id, TOKEN], {}, {}]),
                "headers": {"task": TASK, "id": attempt_id},
                "content_type": JSON,
                "content_encoding": "utf-8",
            }
        )

    def take(self) -> str:
        """The next attempt that the consumer gives to the worker process."""
        if self._sock is None:
            self._sock, _ = self._listener.accept()
            self._sock.settimeout(PATIENCE_S)
            self._lines = self._sock.makefile()
        number, attempt_id, _token = json.loads(self._lines.readline())
        self._numbers[attempt_id] = number
        return str(attempt_id)

    def answer(self, attempt_id: str, outcome: str | None = "success") -> None:
        assert self._sock is not None
        self._sock.sendall(json.dumps([self._numbers[attempt_id], outcome]).encode() + b"\n")

    def take_until(self, attempt_id: str) -> list[str]:
        """Run what comes, up to this attempt."""
        found: list[str] = []
        while attempt_id not in found:
            found.append(self.take())
            self.answer(found[-1])
        return found

    def is_alive_after(self, *messages: dict[str, Any]) -> list[str]:
        """Send these, then more orders than there are slots. Returns what ran before those; fails when one of them does not come, or the process has ended."""
        for message in messages:
            self.publish(message)
        return self.settle()

    def settle(self) -> list[str]:
        last = [f"last-{uuid.uuid4().hex[:8]}" for _ in range(2 * SLOTS)]
        found: list[str] = []
        try:
            for attempt_id in last:
                self.order(attempt_id)
            while not set(last) <= set(found):
                found += self.take_until(next(one for one in last if one not in found))
        except (TimeoutError, ValueError, OSError) as error:
            raise AssertionError(
                f"{type(error).__name__}: {error}; exit code {self.process.poll()}\n{self.log()[-6000:]}"
            ) from error
        assert self.process.poll() is None, self.log()
        return [one for one in found if one not in last]

    def settle_beside(self, running: str) -> list[str]:
        """As `settle`, while an attempt has one of the slots; fails when it is given again."""
        found = self.settle()
        assert running not in found
        return found

    def wait_for_log(self, words: str, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.log().count(words) < count:
            assert time.monotonic() < deadline and self.process.poll() is None, self.log()[-6000:]
            time.sleep(0.1)

    def count_refused(self, at_least: int) -> int:
        """The count of refused messages, once it is that large."""
        assert self.process.stdout is not None
        found = 0
        while found < at_least and select.select([self.process.stdout], [], [], 1.0)[0]:
            found = int(os.read(self.process.stdout.fileno(), 65_536).split()[-1])
        return found

    def count_left(self) -> int:
        """Messages that the broker has: that are waiting."""
        if hasattr(self.channel, "_size"):
            return int(self.channel._size(self.queue))
        return int(self.channel.queue_declare(queue=self.queue, passive=True).message_count)

    def log(self) -> str:
        self._log.flush()
        return Path(self._log.name).read_text()

    def _wait_until_read(self) -> None:
        """Wait until the consumer has read all answers: a message whose answer it has not read when it is stopped goes back to the broker."""
        while self._sock is not None and struct.unpack("i", fcntl.ioctl(self._sock, termios.TIOCOUTQ, bytes(4)))[0]:
            time.sleep(0.01)

    def stop(self) -> int:
        self._wait_until_read()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        if self._sock is not None:
            self._lines.close()
            self._sock.close()
        self._listener.close()
        self._log.close()
        with suppress(Exception):
            self.connection.release()
        delete_queues(self.url, (self.queue,))


@contextmanager
def _consumer(broker: str, *options: dict[str, object] | None) -> Iterator[Consumer]:
    """A consumer on `redis` or `rabbitmq`, or at an address."""
    url = broker if "://" in broker else require_broker(broker)
    with tempfile.TemporaryDirectory(prefix="gnh-") as folder:
        made = Consumer(url, Path(folder), *options)
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(params=BROKERS)
def consumer(request: pytest.FixtureRequest) -> Iterator[Consumer]:
    with _consumer(request.param) as made:
        yield made


def test_messages_that_cannot_be_read_are_acknowledged_and_counted_and_what_comes_after_them_runs(
    consumer: Consumer,
) -> None:
    assert consumer.is_alive_after(*UNREADABLE.values()) == []
    assert consumer.count_refused(len(UNREADABLE)) == len(UNREADABLE)
    assert "Traceback" not in consumer.log()
    assert consumer.stop() == 0
    assert consumer.count_left() == 0


def test_headers_of_celery_neither_hold_nor_drop_an_attempt_nor_send_other_messages(consumer: Consumer) -> None:
    """An hour of a hundred years ahead, an end in the past, retries, callbacks and chords mean nothing."""
    messages = list_readable("order")
    assert sorted(consumer.is_alive_after(*messages.values())) == sorted(messages)
    assert consumer.stop() == 0
    assert consumer.count_left() == 0


def test_commands_of_celery_reach_no_worker(consumer: Consumer) -> None:
    from celery import Celery

    consumer.order("first")
    assert consumer.take() == "first"  # it runs while the commands come
    app = Celery("attack", broker=consumer.url)
    for command, arguments in COMMANDS:
        app.control.broadcast(command, arguments=arguments)
    consumer.answer("first")
    assert consumer.settle() == []
    app.close()


def test_what_is_no_message_of_redis_is_dropped_and_counted(request: pytest.FixtureRequest) -> None:
    with _consumer("redis") as consumer:
        consumer.order("first")
        assert consumer.take_until("first") == ["first"]
        consumer.publish_raw(*RAW_REDIS)
        assert consumer.settle() == []
        assert consumer.count_refused(len(RAW_REDIS)) == len(RAW_REDIS)
        consumer.publish_raw(
            raw_redis_order("bare", delivery_tag="t"),
            raw_redis_order("null", delivery_tag=None),
            raw_redis_order("number", delivery_tag=7, delivery_info={}),
        )
        ran = [consumer.take(), consumer.take()]
        time.sleep(
            2.5
        )  # as long as they run they are written to the list of unacknowledged messages, which cannot hold them
        for attempt_id in ran:
            consumer.answer(attempt_id)
        assert sorted([*ran, *consumer.settle()]) == ["bare", "null", "number"]
        assert "Traceback" not in consumer.log()
        assert consumer.stop() == 0


def test_a_queue_of_redis_that_is_no_list_costs_a_new_connection_and_not_the_worker() -> None:
    with _consumer("redis") as consumer:
        consumer.order("first")
        assert consumer.take_until("first") == ["first"]
        consumer.channel.client.set(consumer.queue, "text")
        time.sleep(1.5)
        consumer.channel.client.delete(consumer.queue)
        assert consumer.settle() == []


def test_tables_of_amqp_that_python_cannot_hold_are_refused() -> None:
    with _consumer("rabbitmq") as consumer:
        for headers in AMQP_HEADERS:
            consumer.publish({"body": b"{", "headers": headers, "content_type": JSON, "content_encoding": "utf-8"})
        for stamp in (2**62, 253_402_300_800):
            _publish_timestamp(consumer, stamp)
        assert consumer.settle() == []
        assert consumer.count_refused(len(AMQP_HEADERS) + 2) == len(AMQP_HEADERS) + 2


def test_a_quorum_queue_and_one_with_other_arguments_are_used_as_they_are() -> None:
    """An operator declares them; a worker that declared them anew was refused, and connected again for ever."""
    for arguments in ({"x-queue-type": "quorum"}, {"x-max-length": 1_000, "x-queue-mode": "lazy"}):
        with _consumer("rabbitmq", None, arguments) as consumer:
            consumer.order("long")
            assert consumer.take() == "long"
            assert consumer.settle_beside("long") == []
            consumer.answer("long", None)
            consumer.answer("long")
            assert consumer.settle() == []
            assert consumer.stop() == 0
            assert consumer.count_left() == 0


@pytest.mark.soak
def test_a_long_attempt_whose_message_redis_gives_again_is_not_run_again() -> None:
    """After the visibility timeout, while it runs: by default an hour."""
    with _consumer("redis", {"visibility_timeout": 1}) as consumer:
        consumer.order("long")
        assert consumer.take() == "long"
        consumer.wait_for_log("message_came_again", 2)
        assert consumer.settle_beside("long") == []
        consumer.answer("long", None)
        consumer.answer("long")
        assert consumer.settle() == []
        assert consumer.stop() == 0  # what Redis has given again in the last second may be left


@pytest.mark.soak
@pytest.mark.parametrize("arguments", [None, {"x-queue-type": "quorum"}])
def test_a_long_attempt_whose_channel_rabbitmq_closes_is_not_run_again(arguments: dict[str, object] | None) -> None:
    """After the consumer timeout of the broker, while it runs: by default 30 minutes, before which the message is acknowledged."""
    with (
        own_rabbitmq(consumer_timeout=2_000, channel_tick_interval=500) as url,
        _consumer(url, None, arguments) as consumer,
    ):
        consumer.order("long")
        assert consumer.take() == "long"
        consumer.wait_for_log("message_came_again", 2)  # each time over a new connection
        assert consumer.settle_beside("long") == []
        consumer.answer("long", None)
        consumer.answer("long")
        assert consumer.settle() == []
        assert consumer.stop() == 0
        assert consumer.count_left() == 0


def test_a_thousand_random_messages_neither_end_the_consumer_nor_hold_a_slot(consumer: Consumer) -> None:
    _fuzz(consumer, 1_000)


@pytest.mark.soak
def test_a_hundred_thousand_random_messages_neither_end_the_consumer_nor_hold_a_slot(consumer: Consumer) -> None:
    for number in range(100):
        _fuzz(consumer, 1_000, number)


def _fuzz(consumer: Consumer, count: int, seed: int = 0) -> None:
    print(f"FUZZ_SEED={SEED}, round {seed}")
    messages = mutate(random.Random(SEED * 1_000 + seed))
    for _ in range(count):
        try:
            consumer.publish(next(messages))
        except (TypeError, ValueError, AttributeError, UnicodeError):  # kombu itself does not send it
            continue
    consumer.settle()


def _publish_timestamp(consumer: Consumer, seconds: int) -> None:
    """py-amqp writes dates of Python alone: the bytes are changed on their way."""
    from datetime import datetime
    from unittest import mock

    import amqp.serialization as serialization

    with mock.patch.object(serialization, "calendar", mock.Mock(timegm=lambda _: seconds)):
        consumer.publish(
            {"body": b"{", "headers": {"at": datetime(2026, 1, 1)}, "content_type": JSON, "content_encoding": "utf-8"}
        )
