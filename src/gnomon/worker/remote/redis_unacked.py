"""Redis: messages that are acknowledged soon are not written to the list of unacknowledged messages.

kombu writes each message there when it arrives, and deletes it when it is acknowledged. These two transactions of Redis cost the consumer more than all else that
it does with a message: 0.29 ms of its processor time a message instead of 0.72 (`python -m bench.celery_consumer`).
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

UNWRITTEN_S = 1.0
"""How long a message waits for its acknowledgement before it is written, and how often that is looked at.

A process that is killed meanwhile loses the message. From the list another worker would take it after the visibility timeout, an hour; schedulers send another message
about an attempt that was not claimed for `[scheduler] task_queued_timeout`.
"""


class UnackedWriter:
    """Of one consumer of Celery, over all its connections."""

    def __init__(self) -> None:
        self._timer: Any = None

    def begin_connection(self, consumer: Any) -> None:
        """Write the messages of this connection later; nothing for other brokers, or without the event loop of Celery."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        channel = consumer.connection.default_channel
        if consumer.hub is None or not _is_unused_redis(channel):
            return
        channel._qos = _build_late_qos()(channel, channel.qos.prefetch_count)
        self._timer = consumer.hub.timer.call_repeatedly(UNWRITTEN_S, lambda: channel.qos.write(time.monotonic() - UNWRITTEN_S))


def _is_unused_redis(channel: Any) -> bool:
    try:
        from kombu.transport import redis  # an extra
    except ImportError:  # the package redis is not installed
        return False
    return isinstance(channel, redis.Channel) and not channel.qos._delivered


def _build_late_qos() -> type[Any]:
    """Kombu's record of the messages that a channel has received, which is written later."""
    redis: Any = import_module("kombu.transport.redis")  # Any: the methods of its classes have no types
    virtual: Any = import_module("kombu.transport.virtual")

    class LateQoS(redis.QoS):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.unwritten: dict[str, tuple[float, Any]] = {}
            """By delivery tag, when it arrived, and the message."""

        def append(self, message: Any, delivery_tag: str) -> None:
            virtual.QoS.append(self, message, delivery_tag)
            self.unwritten[delivery_tag] = time.monotonic(), message

        def ack(self, delivery_tag: str) -> None:
            if self.unwritten.pop(delivery_tag, None) is None:
                super().ack(delivery_tag)
            else:
                virtual.QoS.ack(self, delivery_tag)

        def reject(self, delivery_tag: str, requeue: bool = False) -> None:
            self.write(time.monotonic())
            super().reject(delivery_tag, requeue=requeue)

        def restore_unacked(self, client: Any = None) -> None:
            self.write(time.monotonic())
            super().restore_unacked(client)

        def write(self, until: float) -> None:
            """Write the messages that arrived until this monotonic second."""
            for delivery_tag, (arrived_at, message) in list(self.unwritten.items()):
                if arrived_at <= until:
                    super().append(message, delivery_tag)
                    del self.unwritten[delivery_tag]

    return LateQoS
