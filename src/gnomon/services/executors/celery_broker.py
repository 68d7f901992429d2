"""Celery as the carrier of messages: the application with its one task, and the thread that publishes.

Celery and kombu are imported here and in `worker/remote` only (the extra `celery`). A message holds the attempt's id and a token to claim it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gnomon.ground import log
from gnomon.model.errors import ConfigurationError
from gnomon.model.executors import CELERY_EXECUTOR
from gnomon.model.sentences import say

events = log.get_logger("executor")

TASK_NAME = "gnomon.run_attempt"
RETRY_S = 1.0
"""How long the publisher waits for a broker that is away."""
REFUSED_S = 5.0
"""How long it waits until it sends the messages of a queue again that the broker refuses."""
SHOWN_MAX = 300
"""Characters of a name or an error that is logged."""
OTHER_ARGUMENTS = 406
"""What RabbitMQ answers to the declaration of a queue that exists with other arguments (PRECONDITION_FAILED)."""
BATCH_MAX = 100
"""Messages that are given to the broker together."""


@dataclass(frozen=True, slots=True)
class CelerySettings:
    """The options of section `celery`."""

    broker_url: str
    transport_options: Mapping[str, object] = field(default_factory=dict)
    """The options of section `celery_broker_transport_options`."""


def create_celery_app(settings: CelerySettings) -> Any:
    """The Celery application. Raises ConfigurationError without the packages of the extra."""
    try:
        from celery import Celery
    except ImportError as error:
        raise ConfigurationError(
            say("package_of_executor_is_missing", executor=CELERY_EXECUTOR, package="celery", error=str(error))
        ) from error
    app = Celery("gnomon", broker=settings.broker_url)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=False,
        task_default_queue="default",
        task_create_missing_queues=True,
        worker_prefetch_multiplier=1,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=dict(settings.transport_options),
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        task_serializer="json",
        accept_content=["json"],
        worker_cancel_long_running_tasks_on_connection_loss=False,  # heartbeats decide; unset, Celery warns with each lost connection
        # Nothing here is controlled by messages. With RabbitMQ the exclusive queue for them is locked while the broker keeps the last connection of the worker, and Celery ends.
        worker_enable_remote_control=False,
        broker_channel_error_retry=True,  # a channel that RabbitMQ closes, and a key of Redis that is no list, cost a new connection and not the worker
        # The window of a new connection is set by its own rule (`PrefetchWindow`); with that of Celery a worker was seen that took no message until the next connection.
        worker_enable_prefetch_count_reduction=False,
    )
    return app


class QueueExists(Exception):
    """The queue exists with other arguments than those of a new one, such as a quorum queue that an operator has declared."""


@dataclass(slots=True)
class RefusedQueue:
    """A queue that the broker refuses: of a reserved name, without permission, or a key of Redis that is no list."""

    retry_at: float
    """In monotonic seconds."""
    messages: dict[tuple[str, str], None]
    """(attempt id, queue), each once."""


class CeleryPublisher:
    """A `Publisher`: one thread, one connection. A message that the broker refuses is sent again until it is accepted; those of other queues do not wait for it."""

    def __init__(self, app: Any, sign: Callable[[str], str]) -> None:
        """`sign`: the token with which a worker may claim an attempt."""
        self._app = app
        self._sign = sign
        self._queue: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._published: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._declared: set[str] = set()
        """Queues that exist on the broker since this connection."""
        self._existing: set[str] = set()
        """Queues that exist with other arguments than those of a new one: they are used as they are."""
        self._refused: dict[str, RefusedQueue] = {}
        """By name."""
        self._connection: Any = None
        self._producer: Any = None
        self._is_away = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="celery-publisher", daemon=True)
        self._thread.start()

    def publish(self, attempt_id: str, queue: str) -> None:
        self._queue.put((attempt_id, queue))

    def take_published(self) -> list[str]:
        published = []
        while not self._published.empty():
            published.append(self._published.get())
        return published

    def close(self) -> None:
        self._stop.set()
        self._queue.put(None)
        self._thread.join(2.0)

    def _run(self) -> None:
        self._connection = self._app.connection_for_write()
        while not self._stop.is_set():
            for messages in (self._take_waiting(), *self._take_refused()):
                while messages and not self._stop.is_set() and not self._try_to_send(messages):
                    self._stop.wait(RETRY_S)
        with suppress(Exception):
            self._connection.release()

    def _take_waiting(self) -> list[tuple[str, str]]:
        """(attempt id, queue) of the messages that are to be sent, at most BATCH_MAX; waits for the first one. Empty at the end, and when refused ones are due.

        Those of a refused queue are sent with the others of that queue.
        """
        messages: list[tuple[str, str]] = []
        try:
            message = self._queue.get(timeout=RETRY_S if self._refused else None)
        except queue.Empty:
            return messages
        while message is not None:
            if message[1] in self._refused:
                self._refused[message[1]].messages[message] = None
            else:
                messages.append(message)
            if len(messages) == BATCH_MAX or self._queue.empty():
                break
            message = self._queue.get()
        return messages

    def _take_refused(self) -> list[list[tuple[str, str]]]:
        """The first messages of each queue that was refused and is tried again now."""
        now = time.monotonic()
        return [list(refused.messages)[:BATCH_MAX] for refused in self._refused.values() if refused.retry_at <= now]

    def _try_to_send(self, messages: list[tuple[str, str]]) -> bool:
        """False: the broker cannot be reached, and the same messages are to be sent later. What it refuses for the sake of one queue waits by itself."""
        try:
            if self._producer is None:
                self._producer = self._app.amqp.Producer(self._connection, auto_declare=False)
                self._declared.clear()
            self._send_together(self._producer, messages)
        except Exception as error:  # each transport has exceptions of its own
            is_refusal = not isinstance(
                error, self._connection.connection_errors
            )  # of the channel, or of kombu for a name that it cannot send
            with suppress(Exception):
                self._connection.collect()  # without a word to the broker
            self._connection, self._producer = self._app.connection_for_write(), None
            if isinstance(error, QueueExists):
                return self._try_to_send(messages)
            return self._send_by_queue(messages, error) if is_refusal else self._note_away(error)
        if self._is_away:
            events.info("broker_back")
        self._is_away = False
        for attempt_id, _ in messages:
            self._published.put(attempt_id)
        if self._refused and (accepted := self._refused.pop(messages[0][1], None)) is not None:
            events.info("queue_accepted", queue=messages[0][1])
            for message in accepted.messages.keys() - set(messages):
                self._queue.put(message)
        return True

    def _send_by_queue(self, messages: list[tuple[str, str]], error: Exception) -> bool:
        """The broker has refused one of these: each queue is tried by itself, and one that is refused then waits."""
        by_queue: dict[str, list[tuple[str, str]]] = {}
        for message in messages:
            by_queue.setdefault(message[1], []).append(message)
        if len(by_queue) > 1:
            return all(self._try_to_send(some) for some in by_queue.values())
        [queue_name] = by_queue
        refused = self._refused.setdefault(queue_name, RefusedQueue(0.0, {}))
        if not refused.messages:
            events.error(
                "queue_refused",
                queue=queue_name[:SHOWN_MAX],
                error=f"{type(error).__name__}: {error}"[:SHOWN_MAX],
                next="its messages are sent again each few seconds, those of other queues go on; give the tasks another queue, or change the broker",
            )
        refused.retry_at = time.monotonic() + REFUSED_S
        refused.messages.update(dict.fromkeys(messages))
        return True

    def _note_away(self, error: Exception) -> bool:
        if not self._is_away:
            events.warning(
                "broker_away",
                error=f"{type(error).__name__}: {error}",
                next="the messages are sent when the broker answers again",
            )
        self._is_away = True
        return False

    def _send_together(self, producer: Any, messages: list[tuple[str, str]]) -> None:
        """Send messages; with Redis and kombu from 5.7 on in one command. When that fails, some may have been sent: all are sent again, and one that comes twice runs nothing."""
        together = producer.batch() if len(messages) > 1 and hasattr(producer, "batch") else nullcontext()
        with together:
            for attempt_id, queue_name in messages:
                self._send(producer, attempt_id, queue_name)

    def _send(self, producer: Any, attempt_id: str, queue_name: str) -> None:
        """Send a message of Celery's protocol 2 with what `celery_consumer` reads. What `Celery.send_task` adds for tasks in general costs scheduler, broker and consumer as much again."""
        if (
            queue_name not in self._declared and queue_name not in self._existing
        ):  # a queue that no worker takes yet keeps its messages
            self._declare(producer, queue_name)
        headers = {"lang": "py", "task": TASK_NAME, "id": attempt_id}
        body = msgspec.json.encode(((attempt_id, self._sign(attempt_id)), {}, {}))
        producer.publish(
            body,
            routing_key=queue_name,
            exchange="",
            headers=headers,
            content_type="application/json",
            content_encoding="utf-8",
            delivery_mode=2,
            retry=False,
        )

    def _declare(self, producer: Any, queue_name: str) -> None:
        try:
            producer.maybe_declare(self._app.amqp.queues[queue_name], retry=False)
            self._declared.add(queue_name)
        except Exception as error:
            if getattr(error, "reply_code", None) != OTHER_ARGUMENTS:
                raise
            self._existing.add(queue_name)
            events.info("queue_exists", queue=queue_name, error=str(error), next="it is used as it is")
            raise QueueExists from error
