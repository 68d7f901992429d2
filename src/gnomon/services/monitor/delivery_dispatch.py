"""Sends messages in threads, and stores how each try ended: sent, tried again later, or given up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from gnomon.changes.alert_channels.messages import build_title, describe_title
from gnomon.changes.alert_channels.webhook_post import DeliveryFailed
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.model.alerts import DeliveryRecord
from gnomon.model.ids import quote_argument
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import render, say, store_sentence
from gnomon.model.sentences.stored_sentences import pack_details
from gnomon.services.monitor.settings import RETRY_FIRST_S, RETRY_LONGEST_S, SENDERS
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alert_deliveries
from gnomon.storage.store.dag_records.event_log import log_event

SendCall = Callable[[AlertChannel, DeliveryRecord], None]
_log = log.get_logger("monitor")


class DeliveryDispatch:
    """The messages that are being sent. A channel sends one at a time, so a slow one does not use every thread."""

    def __init__(
        self,
        send: SendCall,
        channels: Mapping[str, AlertChannel],
        clock: Clock,
        wake: Callable[[], object] = lambda: None,
    ) -> None:
        """`wake`: called in a thread when a try has ended."""
        self._send = send
        self._channels = channels
        self._clock = clock
        self._wake = wake
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[int, tuple[DeliveryRecord, Future[None]]] = {}

    @property
    def busy(self) -> frozenset[str]:
        """The channels that send now."""
        return frozenset(delivery.channel for delivery, _ in self._running.values())

    @property
    def free_slots(self) -> int:
        """How many messages more may be sent now."""
        return SENDERS - len(self._running)

    def start(self, delivery: DeliveryRecord) -> None:
        """Send the message in a thread."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(SENDERS, thread_name_prefix="alert")
        future = self._pool.submit(self._call, delivery)
        self._running[delivery.delivery_pk] = (delivery, future)
        future.add_done_callback(lambda _: self._wake())

    def _call(self, delivery: DeliveryRecord) -> None:
        channel = self._channels.get(delivery.channel)
        if channel is None:
            raise DeliveryFailed(
                say("channel_is_no_longer_configured", name=delivery.channel),
                is_final=True,
            )
        self._send(channel, delivery)

    def list_ended(self) -> list[tuple[DeliveryRecord, BaseException | None]]:
        """The tries that have ended, each with its error; they stay until `forget`."""
        return [(delivery, future.exception()) for delivery, future in self._running.values() if future.done()]

    def forget(self, delivery: DeliveryRecord) -> None:
        """The end of the try is stored."""
        self._running.pop(delivery.delivery_pk, None)

    def record(self, tx: Transaction, delivery: DeliveryRecord, error: BaseException | None, now: Instant) -> None:
        """Store how the try ended, with a line in the audit log when it was the last."""
        if error is None:
            alert_deliveries.end_delivery(tx, delivery.delivery_pk, now)
            _log_delivery(tx, "alert_sent", delivery, now)
            _log.info(
                "alert_sent",
                channel=delivery.channel,
                title=build_title(delivery.body, None),
                alerts=delivery.body.count,
            )
            return
        text = (
            str(error)
            if isinstance(error, DeliveryFailed)
            else render(say("sending_failed_internally", name=type(error).__name__, error=str(error)))
        )
        tries = delivery.tries + 1
        channel = self._channels.get(delivery.channel)
        is_final = isinstance(error, DeliveryFailed) and error.is_final
        if is_final or channel is None or tries > channel.retries:
            alert_deliveries.end_delivery(tx, delivery.delivery_pk, now, text)
            _log_delivery(tx, "alert_not_sent", delivery, now, error=text, tries=tries)
            _log.error(
                "alert_not_sent",
                channel=delivery.channel,
                tries=tries,
                error=text,
                remedy=f"gnomon alerts test {quote_argument(delivery.channel)}",
            )
            return
        due_at = now + round(_compute_delay(error, tries) * SECOND)
        alert_deliveries.retry_delivery(tx, delivery.delivery_pk, due_at, text)
        _log.warning("alert_try_failed", channel=delivery.channel, tries=tries, error=text)

    def close(self) -> None:
        """Give up the threads; a message that is being sent is sent again by the next monitor."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _compute_delay(error: BaseException, tries: int) -> float:
    delay: float = min(RETRY_FIRST_S * 2 ** (tries - 1), RETRY_LONGEST_S)
    after = error.retry_after_s if isinstance(error, DeliveryFailed) else None
    return delay if after is None else max(delay, after)


def _log_delivery(tx: Transaction, kind: str, delivery: DeliveryRecord, now: Instant, **more: object) -> None:
    details = {
        "delivery": delivery.uid,
        "channel": delivery.channel,
        "title": store_sentence(describe_title(delivery.body)),
        "alerts": delivery.body.count,
        **more,
    }
    log_event(tx, EventRecord(now, kind, by="monitor", body=pack_details(details)))
