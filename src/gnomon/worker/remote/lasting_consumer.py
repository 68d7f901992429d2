"""Celery's consumer, which goes on when its lost connection to the broker cannot be closed. Named in `worker_consumer`; nothing else imports it."""

from __future__ import annotations

from celery.worker.consumer import Consumer

from gnomon import log

events = log.get_logger("worker")


class LastingConsumer(Consumer):  # type: ignore[misc]
    """Celery closes a lost connection twice. With Redis and unacknowledged messages the second time raises AttributeError (kombu 5.7), which would end the worker and all of its attempts."""

    def on_connection_error_after_connected(self, exc: BaseException) -> None:
        """Drop the connection. What it had not acknowledged comes again, or its attempt gets another message."""
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:
            self.connection = None
            events.warning("connection_not_closed", error=f"{type(error).__name__}: {error}", next="a new connection to the broker")
