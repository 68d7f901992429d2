"""Celery as the carrier of messages: the application with its one task, and the thread that publishes.

Celery and kombu are imported here and in `worker/remote` only (the extra `celery`). A message holds the attempt's id and a token to claim it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gnomon import log
from gnomon.errors import ConfigurationError
from gnomon.model.executors import CELERY_EXECUTOR

events = log.get_logger("executor")

TASK_NAME = "gnomon.run_attempt"
RETRY_S = 1.0
"""How long the publisher waits after the broker refused a message."""
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
            f"[core] executor = {CELERY_EXECUTOR} needs the package celery, which cannot be imported ({error}); install it with: pip install 'gnomon[celery]'"
        ) from error
    app = Celery("gnomon", broker=settings.broker_url)
    app.conf.update(
        task_ignore_result=True, task_acks_late=False, task_default_queue="default", task_create_missing_queues=True,
        worker_prefetch_multiplier=1, broker_connection_retry_on_startup=True, broker_connection_max_retries=None,
        broker_transport_options=dict(settings.transport_options), worker_send_task_events=False, worker_hijack_root_logger=False,
        task_serializer="json", accept_content=["json"],
        worker_cancel_long_running_tasks_on_connection_loss=False,  # heartbeats decide; unset, Celery warns with each lost connection
        # Nothing here is controlled by messages. With RabbitMQ the exclusive queue for them is locked while the broker keeps the last connection of the worker, and Celery ends.
        worker_enable_remote_control=False,
        broker_channel_error_retry=True,  # a channel that RabbitMQ closes, and a key of Redis that is no list, cost a new connection and not the worker
        # The window of a new connection is set by its own rule (`PrefetchWindow`); with that of Celery a worker was seen that took no message until the next connection.
        worker_enable_prefetch_count_reduction=False,
    )
    return app


class CeleryPublisher:
    """A `Publisher`: one thread, one connection. A message that the broker refuses is sent again until it is accepted."""

    def __init__(self, app: Any, sign: Callable[[str], str]) -> None:
        """`sign`: the token with which a worker may claim an attempt."""
        self._app = app
        self._sign = sign
        self._queue: queue.SimpleQueue[tuple[str, str] | None] = queue.SimpleQueue()
        self._published: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._declared: set[str] = set()
        """Queues that exist on the broker since this connection."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="celery-publisher", daemon=True)
        self._thread.start()

    def publish(self, attempt_id: str, queue: str) -> None:
        self._queue.put((attempt_id, queue))

    def take_published(self) -> list[str]:
        found = []
        while not self._published.empty():
            found.append(self._published.get())
        return found

    def close(self) -> None:
        self._stop.set()
        self._queue.put(None)
        self._thread.join(2.0)

    def _run(self) -> None:
        connection = self._app.connection_for_write()
        producer = None
        is_away = False
        while not self._stop.is_set():
            messages = self._take_waiting()
            while messages and not self._stop.is_set():
                try:
                    if producer is None:
                        producer = self._app.amqp.Producer(connection, auto_declare=False)
                        self._declared.clear()
                    self._send_together(producer, messages)
                except Exception as error:  # each transport has exceptions of its own
                    if not is_away:
                        events.warning("broker_away", error=f"{type(error).__name__}: {error}", next="the messages are sent when the broker answers again")
                    is_away, producer = True, None
                    with suppress(Exception):
                        connection.collect()  # without a word to the broker
                    connection = self._app.connection_for_write()
                    self._stop.wait(RETRY_S)
                else:
                    if is_away:
                        events.info("broker_back")
                    is_away = False
                    for attempt_id, _ in messages:
                        self._published.put(attempt_id)
                    break
        with suppress(Exception):
            connection.release()

    def _take_waiting(self) -> list[tuple[str, str]]:
        """(attempt id, queue) of the messages that are to be sent, at most BATCH_MAX; waits for the first one. Empty at the end."""
        found = []
        message = self._queue.get()
        while message is not None:
            found.append(message)
            if len(found) == BATCH_MAX or self._queue.empty():
                break
            message = self._queue.get()
        return found

    def _send_together(self, producer: Any, messages: list[tuple[str, str]]) -> None:
        """Send messages; with Redis and kombu from 5.7 on in one command. When that fails, some may have been sent: all are sent again, and one that comes twice runs nothing."""
        together = producer.batch() if len(messages) > 1 and hasattr(producer, "batch") else nullcontext()
        with together:
            for attempt_id, queue_name in messages:
                self._send(producer, attempt_id, queue_name)

    def _send(self, producer: Any, attempt_id: str, queue_name: str) -> None:
        """Send a message of Celery's protocol 2 with what `celery_consumer` reads. What `Celery.send_task` adds for tasks in general costs scheduler, broker and consumer as much again."""
        if queue_name not in self._declared:  # a queue that no worker takes yet keeps its messages
            producer.maybe_declare(self._app.amqp.queues[queue_name], retry=False)
            self._declared.add(queue_name)
        headers = {"lang": "py", "task": TASK_NAME, "id": attempt_id}
        body = msgspec.json.encode(((attempt_id, self._sign(attempt_id)), {}, {}))
        producer.publish(
            body, routing_key=queue_name, exchange="", headers=headers, content_type="application/json", content_encoding="utf-8", delivery_mode=2, retry=False,
        )
