"""Redis: messages that are acknowledged soon are not written to the list of unacknowledged messages, and those that cannot be read are refused.

kombu writes each message there when it arrives, and deletes it when it is acknowledged. These two transactions of Redis cost the consumer more than all else that
it does with a message: 0.29 ms of its processor time a message instead of 0.72 (`python -m bench.celery_consumer`).
"""

from __future__ import annotations

import queue
import time
from importlib import import_module
from typing import Any

from gnomon.services.worker.remote.attempt_message import RefusedMessages

UNWRITTEN_S = 1.0
"""How long a message waits for its acknowledgement before it is written, and how often that is looked at.

A process that is killed meanwhile loses the message. From the list another worker would take it after the visibility timeout, an hour; schedulers send another message
when the worker is lost. A message that comes back after the hour, because its attempt runs for longer, is acknowledged by whoever gets it: its claim is refused.
"""


class UnackedWriter:
    """Of one consumer of Celery, over all its connections."""

    def __init__(self) -> None:
        self._timer: Any = None

    def begin_connection(self, consumer: Any, refused: RefusedMessages) -> None:
        """Write the messages of this connection later; nothing for other brokers, or without the event loop of Celery."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        channel = consumer.connection.default_channel
        if consumer.hub is None or not _is_unused_redis(channel):
            return
        channel._qos = _build_late_qos()(channel, channel.qos.prefetch_count)
        channel.handlers["BRPOP"] = refused.guard(channel._brpop_read, _list_broker_errors())
        self._timer = consumer.hub.timer.call_repeatedly(
            UNWRITTEN_S, lambda: channel.qos.write(time.monotonic() - UNWRITTEN_S)
        )


def _is_unused_redis(channel: Any) -> bool:
    try:
        from kombu.transport import redis  # an extra
    except ImportError:  # the package redis is not installed
        return False
    return isinstance(channel, redis.Channel) and not channel.qos._delivered


def _list_broker_errors() -> tuple[type[Exception], ...]:
    """What reading from Redis raises when it is not the message that is at fault. kombu counts KeyError among the errors of a connection: a message without properties raises it too."""
    from kombu.exceptions import InconsistencyError
    from redis.exceptions import RedisError

    return (queue.Empty, OSError, RedisError, InconsistencyError)


def _build_late_qos() -> type[Any]:
    """Kombu's record of the messages that a channel has received, which is written later."""
    redis: Any = import_module("kombu.transport.redis")  # Any: the methods of its classes have no types
    virtual: Any = import_module("kombu.transport.virtual")
    data_error: Any = import_module("redis.exceptions").DataError

    class LateQoS(redis.QoS):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.unwritten: dict[str, tuple[float, Any]] = {}
            """By delivery tag, when it arrived, and the message."""
            self.is_paused = False

        def can_consume(self) -> bool:
            return not self.is_paused and bool(super().can_consume())

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
                    del self.unwritten[delivery_tag]
                    try:
                        super().append(message, delivery_tag)
                    except (
                        data_error,
                        KeyError,
                        TypeError,
                        ValueError,
                    ):  # whoever sent it left out where it goes: it is not restored
                        continue

    return LateQoS
