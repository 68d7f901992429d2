"""Celery's worker without its pool: it carries names of attempts to the worker process beside it, and runs nothing.

A message is acknowledged when it is given to the worker process: whether an attempt runs is decided by its claim, and whether it is lost by heartbeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from gnomon import log
from gnomon.executors.celery_broker import TASK_NAME
from gnomon.worker.remote.message_carrier import MessageCarrier
from gnomon.worker.remote.redis_unacked import UnackedWriter

events = log.get_logger("worker")


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """What the consumer takes: queues of the broker, the number of attempts at a time, messages fetched ahead for each."""

    queues: tuple[str, ...]
    concurrency: int
    prefetch: int
    hostname: str
    loglevel: str


def consume(app: Any, settings: ConsumerSettings, address: str, on_stop: Callable[[], None]) -> int:
    """Consume messages until a stop signal and until the attempts of the messages taken have ended; returns the exit code of Celery.

    `address`: the socket of the worker process. `on_stop`: called once a stop signal has arrived.
    """
    from celery.signals import worker_shutting_down  # an extra: help of commands loads this module
    from celery.utils.nodenames import default_nodename, host_format
    from celery.worker import state

    carrier = MessageCarrier(address, settings.concurrency)
    app.conf.update(worker_prefetch_multiplier=settings.prefetch, worker_consumer="gnomon.worker.remote.lasting_consumer:LastingConsumer")
    # A strategy handles a message in the loop of the consumer. Celery's own gives it to a thread of the pool, which costs more than all that is done with it here.
    app.task(_refuse_call, name=TASK_NAME, ignore_result=True, Strategy=partial(start_strategy, carrier, UnackedWriter()))

    def stop(**_: object) -> None:
        on_stop()

    worker_shutting_down.connect(stop, weak=False)
    worker = app.Worker(
        pool="threads", concurrency=settings.concurrency, queues=list(settings.queues), loglevel=settings.loglevel, hostname=host_format(default_nodename(settings.hostname)),
        without_gossip=True, without_mingle=True, optimization="fair", quiet=True,
    )
    worker.start()
    carrier.wait_for_attempts(lambda: state.should_terminate not in (None, False))
    carrier.close()
    return int(worker.exitcode or 0)


def start_strategy(carrier: MessageCarrier, writer: UnackedWriter, _task: object, _app: object, consumer: Any, **_: object) -> Callable[..., None]:
    """What Celery calls for each message of a new connection to the broker (`Task.Strategy`)."""
    carrier.begin_connection(consumer.hub)
    writer.begin_connection(consumer)

    def handle(message: Any, body: Any, _ack: object, _reject: object, _callbacks: object) -> None:
        arguments = msgspec.json.decode(message.body)[0] if body is None else body["args"]
        carrier.take(str(arguments[0]), str(arguments[1]), partial(acknowledge, message, str(arguments[0]), consumer.connection_errors))

    return handle


def acknowledge(message: Any, attempt_id: str, connection_errors: tuple[type[Exception], ...]) -> None:
    """Acknowledge the message, if its connection to the broker has not ended: the loop of the consumer notices that by itself."""
    try:
        message.ack()
    except connection_errors as error:
        events.warning("message_not_acknowledged", attempt=attempt_id, error=str(error), next="the broker sends the message again, and the attempt is not claimed twice")


def _refuse_call(attempt_id: str, token: str) -> None:
    raise NotImplementedError("the worker of Gnomon handles this message itself")
