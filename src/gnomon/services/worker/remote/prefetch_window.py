"""PrefetchWindow: how many messages the broker may give to a consumer that it has not acknowledged."""

from __future__ import annotations

import time
from typing import Any

from gnomon.services.worker.remote.message_carrier import MessageCarrier

HELD_LOOK_S = 30.0
"""How often it is looked whether messages were held for too long."""


class PrefetchWindow:
    """`size`: the slots times the multiplier.

    The broker counts unacknowledged messages. One that it does not count any more, because its connection has ended or because it was acknowledged
    while its attempt runs on, takes a place of the window away: else a message would be fetched for a slot that is not free.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._unbacked = 0
        self._consumer: Any = None
        self._carrier: MessageCarrier | None = None
        self._is_paused = False
        self._is_resting = False
        self._timer: Any = None

    def begin_connection(self, consumer: Any) -> None:
        """A connection to the broker begins."""
        self._consumer = consumer
        self._carrier = None
        self._is_paused = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def open(self, carrier: MessageCarrier) -> None:
        """Set the window of the new connection, for what the carrier has from before. AMQP: let no message be held for longer than the broker allows."""
        consumer, self._carrier = self._consumer, carrier
        consumer.initial_prefetch_count = max(1, self._size - self._unbacked)
        if consumer.hub is None:
            return
        if self._unbacked >= self._size or self._is_resting:
            consumer.hub.call_soon(self._apply)
        if consumer.connection.transport.driver_type == "amqp":
            self._timer = consumer.hub.timer.call_repeatedly(
                HELD_LOOK_S, lambda: carrier.release_held(time.monotonic())
            )

    def set_unbacked(self, count: int) -> None:
        """So many messages wait or have a slot that the broker does not count."""
        self._unbacked = count
        if self._consumer is not None and self._consumer.hub is not None:
            self._consumer.hub.call_soon(self._apply)  # not within the handling of a message

    def set_resting(self, is_resting: bool) -> None:
        """Fetch nothing, and give back what waits, while the worker can claim nothing: another one may be able to."""
        self._is_resting = is_resting
        if self._consumer is not None and self._consumer.hub is not None:
            self._apply()

    def _apply(self) -> None:
        consumer, carrier, task_consumer = self._consumer, self._carrier, self._consumer.task_consumer
        if task_consumer is None or consumer.qos is None or carrier is None:
            return  # the consumer is stopping
        if consumer.qos_global is False and not self._is_redis(task_consumer):
            self._apply_anew(carrier)
        else:
            size = 0 if self._is_resting else self._size - self._unbacked
            self._pause(task_consumer, is_paused=size <= 0)
            if size > 0 and size != consumer.qos.prev:
                consumer.qos.value = consumer.qos.set(size)
        carrier.give_back(
            0 if self._is_resting else self._size
        )  # a window of 0 would be one without a bound, so a message may have come for a slot that is not free

    def _apply_anew(self, carrier: MessageCarrier) -> None:
        """Quorum queues: the window of a consumer is that with which it began, and the next one has a count of its own."""
        consumer, task_consumer = self._consumer, self._consumer.task_consumer
        task_consumer.cancel()
        self._unbacked = carrier.begin_count()
        size = 0 if self._is_resting else self._size - self._unbacked
        if size > 0:
            consumer.qos.value = consumer.qos.set(size)
            task_consumer.consume()

    def _pause(self, task_consumer: Any, *, is_paused: bool) -> None:
        if is_paused == self._is_paused:
            return
        self._is_paused = is_paused
        if self._is_redis(task_consumer):
            task_consumer.channel.qos.is_paused = is_paused
        elif is_paused:
            task_consumer.cancel()
        else:
            task_consumer.consume()

    @staticmethod
    def _is_redis(task_consumer: Any) -> bool:
        return hasattr(getattr(task_consumer.channel, "qos", None), "is_paused")
