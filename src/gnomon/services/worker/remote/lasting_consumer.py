"""Celery's consumer, which nothing at the broker ends: no lost connection, and no message. Named in `worker_consumer`; nothing else imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer

from gnomon.ground import log
from gnomon.services.executors.celery_broker import OTHER_ARGUMENTS, TASK_NAME

events = log.get_logger("worker")


class LastingConsumer(Consumer):  # type: ignore[misc]
    """Celery closes a lost connection twice. With Redis and unacknowledged messages the second time raises AttributeError (kombu 5.7), which would end the worker and all of its attempts."""

    def on_connection_error_after_connected(self, exc: BaseException) -> None:
        """Drop the connection. What it had not acknowledged comes again, or its attempt gets another message."""
        self._use_queues_as_they_are(exc)
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:
            self.connection = None
            events.warning(
                "connection_not_closed", error=f"{type(error).__name__}: {error}", next="a new connection to the broker"
            )

    def _use_queues_as_they_are(self, exc: BaseException) -> None:
        """A queue that an operator has declared with other arguments is not declared again; with a quorum queue each consumer has a window of its own."""
        message = str(exc)
        for queue in self.app.amqp.queues.consume_from.values():
            if f"queue '{queue.name}' in vhost" not in message:
                continue
            if getattr(exc, "reply_code", None) == OTHER_ARGUMENTS:
                queue.no_declare = True
            elif "global qos" in message:
                queue.queue_arguments = {
                    **(queue.queue_arguments or {}),
                    "x-queue-type": "quorum",
                }  # what Celery looks for
            else:
                continue
            events.info("queue_exists", queue=queue.name, error=message, next="it is used as it is")

    def create_task_handler(self, promise: object = None) -> Callable[[Any], None]:
        """What handles each message: the strategy of the one task of Gnomon, whatever task the message names. Celery's own runs its built-in tasks, and fails at some messages."""
        handle: Callable[[Any], None] = self.strategies[TASK_NAME]
        return handle

    def on_decode_error(self, message: Any, exc: BaseException) -> None:
        """Refuse a message that kombu cannot read."""
        self.refuse_message(message, f"{type(exc).__name__}: {exc}")
