"""Celery's worker without its pool: it carries names of attempts to the worker process beside it, and runs nothing.

A message is acknowledged when the slot of its attempt becomes free, so that a worker fetches what it can run. Whether an attempt runs is decided by its claim, and
whether it is lost by heartbeats: the broker never decides either.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gnomon.ground import log
from gnomon.services.executors.celery_broker import TASK_NAME
from gnomon.services.worker.remote.attempt_message import (
    RefusedMessages,
    UnreadableMessage,
    read_message,
    read_properties_leniently,
    refuse_compression,
)
from gnomon.services.worker.remote.message_carrier import Delivery, MessageCarrier
from gnomon.services.worker.remote.prefetch_window import PrefetchWindow
from gnomon.services.worker.remote.redis_unacked import UnackedWriter
from gnomon.services.worker.remote.shared_numbers import SharedCount

events = log.get_logger("worker")


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """What the consumer takes: queues of the broker, the number of attempts at a time, the messages that it holds for each of them."""

    queues: tuple[str, ...]
    concurrency: int
    prefetch: int
    hostname: str
    loglevel: str


@dataclass(frozen=True, slots=True)
class BrokerIntake:
    """What handles the messages of one consumer, over all its connections."""

    carrier: MessageCarrier
    window: PrefetchWindow
    unacked: UnackedWriter
    refused: RefusedMessages


def consume(
    app: Any, settings: ConsumerSettings, address: str, on_stop: Callable[[], None], refused: SharedCount | None = None
) -> int:
    """Consume messages until a stop signal and until the attempts of the messages taken have ended; returns the exit code of Celery.

    `address`: the socket of the worker process. `on_stop`: called once a stop signal has arrived. `refused`: counts messages that cannot be read.
    """
    from celery.signals import worker_shutting_down  # an extra: help of commands loads this module
    from celery.utils.nodenames import default_nodename, host_format
    from celery.worker import state

    refuse_compression()
    read_properties_leniently()
    window = PrefetchWindow(settings.concurrency * settings.prefetch)
    carrier = MessageCarrier(address, settings.concurrency, window.set_unbacked, window.set_resting)
    intake = BrokerIntake(
        carrier, window, UnackedWriter(), RefusedMessages(SharedCount() if refused is None else refused)
    )
    app.conf.update(
        worker_prefetch_multiplier=settings.prefetch,
        worker_consumer="gnomon.services.worker.remote.lasting_consumer:LastingConsumer",
    )
    # A strategy handles a message in the loop of the consumer. Celery's own gives it to a thread of the pool, which costs more than all that is done with it here.
    app.task(_refuse_call, name=TASK_NAME, ignore_result=True, Strategy=partial(start_strategy, intake))

    def stop(**_: object) -> None:
        on_stop()

    worker_shutting_down.connect(stop, weak=False)
    worker = app.Worker(
        pool="threads",
        concurrency=settings.concurrency,
        queues=list(settings.queues),
        loglevel=settings.loglevel,
        hostname=host_format(default_nodename(settings.hostname)),
        without_gossip=True,
        without_mingle=True,
        optimization="fair",
        quiet=True,
    )
    worker.start()
    carrier.wait_for_attempts(lambda: state.should_terminate not in (None, False))
    carrier.close()
    return int(worker.exitcode or 0)


def start_strategy(
    intake: BrokerIntake, _task: object, _app: object, consumer: Any, **_: object
) -> Callable[..., None]:
    """What handles each message of a new connection to the broker (`LastingConsumer.create_task_handler`)."""
    intake.window.begin_connection(consumer)
    intake.unacked.begin_connection(consumer, intake.refused)
    intake.carrier.begin_connection(consumer.hub)
    intake.window.open(intake.carrier)
    consumer.refuse_message = intake.refused.refuse

    def handle(message: Any, *_: object) -> None:
        try:
            attempt_id, token = read_message(message)
        except UnreadableMessage as error:
            intake.refused.refuse(message, error)
            return
        delivery = Delivery(
            message.delivery_tag,
            partial(acknowledge, message, attempt_id),
            partial(requeue, message, attempt_id),
            time.monotonic(),
        )
        intake.carrier.take(attempt_id, token, delivery)

    return handle


def acknowledge(message: Any, attempt_id: str) -> None:
    """Acknowledge the message, if its connection to the broker has not ended: the loop of the consumer notices that by itself."""
    try:
        message.ack()
    except Exception as error:  # each transport has exceptions of its own, also for a delivery tag that it cannot send
        events.warning(
            "message_not_acknowledged",
            attempt=attempt_id,
            error=str(error),
            next="the broker sends the message again, and the attempt is not claimed twice",
        )


def requeue(message: Any, attempt_id: str) -> None:
    """Give the message back to the broker."""
    try:
        message.requeue()
    except Exception as error:
        events.warning(
            "message_not_given_back", attempt=attempt_id, error=str(error), next="the broker sends the message again"
        )


def _refuse_call(attempt_id: str, token: str) -> None:
    raise NotImplementedError("the worker of Gnomon handles this message itself")
