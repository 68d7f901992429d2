"""Messages about alerts: collected, sent, tried again, given up."""

from __future__ import annotations

import msgspec

from gnomon.model.alerts import DeliveryBody, DeliveryRecord
from gnomon.model.instants import Instant
from gnomon.storage.store.transaction import Row, Transaction

_body_decoder = msgspec.json.Decoder(DeliveryBody)


def find_newest_of_group(tx: Transaction, channel: str, group_key: str) -> DeliveryRecord | None:
    """The newest message of the channel about the group; None when there is none."""
    row = tx.one("alerts.last_of_group", channel=channel, group_key=group_key)
    return None if row is None else _decode(row)


def add_delivery(
    tx: Transaction, uid: str, channel: str, group_key: str, now: Instant, due_at: Instant, body: DeliveryBody
) -> None:
    """Insert a message that is due at `due_at`; `uid` is its idempotency key."""
    tx.run(
        "alerts.add_delivery",
        uid=uid,
        channel=channel,
        group_key=group_key,
        created_at=now,
        due_at=due_at,
        body=_encode(body),
    )


def extend_delivery(tx: Transaction, delivery_pk: int, body: DeliveryBody) -> bool:
    """Replace what the message contains; False when a try to send it has begun."""
    return tx.run("alerts.extend_delivery", delivery_pk=delivery_pk, body=_encode(body)) == 1


def list_due_deliveries(tx: Transaction, now: Instant, limit: int) -> list[DeliveryRecord]:
    """The messages that are to be sent, at most `limit` of each channel, oldest first."""
    return [_decode(row) for row in tx.all("alerts.due_deliveries", now=now, limit=limit)]


def find_next_due(tx: Transaction) -> Instant | None:
    """When the next message is due; None when none waits."""
    row = tx.one("alerts.next_delivery")
    return None if row is None else row[0]


def begin_delivery(tx: Transaction, delivery_pk: int) -> bool:
    """A try begins; False when the message is not pending."""
    return tx.run("alerts.begin_delivery", delivery_pk=delivery_pk) == 1


def end_delivery(tx: Transaction, delivery_pk: int, now: Instant, error: str | None = None) -> bool:
    """The message was sent, or is given up because of `error`; False when it had ended."""
    return (
        tx.run(
            "alerts.end_delivery",
            delivery_pk=delivery_pk,
            state="sent" if error is None else "failed",
            now=now,
            error=error,
        )
        == 1
    )


def retry_delivery(tx: Transaction, delivery_pk: int, due_at: Instant, error: str) -> bool:
    """The message is tried again at `due_at`."""
    return tx.run("alerts.retry_delivery", delivery_pk=delivery_pk, due_at=due_at, error=error) == 1


def postpone_delivery(tx: Transaction, delivery_pk: int, due_at: Instant) -> None:
    """The message waits until its channel may send again."""
    tx.run("alerts.postpone_delivery", delivery_pk=delivery_pk, due_at=due_at)


def remove_delivery(tx: Transaction, delivery_pk: int) -> bool:
    """Delete a message whose alerts another message has; False when a try has begun."""
    return tx.run("alerts.remove_delivery", delivery_pk=delivery_pk) == 1


def count_sent(tx: Transaction, channel: str, since: Instant) -> tuple[int, Instant | None]:
    """How many messages the channel has sent since then, and when the first of them was."""
    row = tx.one("alerts.sent_since", channel=channel, since=since)
    return (0, None) if row is None else (int(row[0]), row[1])


def release_deliveries(tx: Transaction) -> int:
    """Messages that an ended monitor was sending are pending again; returns their number."""
    return tx.run("alerts.release_deliveries")


def list_newest_deliveries(tx: Transaction, limit: int) -> list[DeliveryRecord]:
    """The newest messages, newest first."""
    return [_decode(row) for row in tx.all("alerts.newest_deliveries", limit=limit)]


def _encode(body: DeliveryBody) -> str:
    return msgspec.json.encode(body).decode()


def _decode(row: Row) -> DeliveryRecord:
    return DeliveryRecord(*(*row[:10], _body_decoder.decode(row[10])))
