"""Collects alerts into messages: which alerts share one, when it is due, and what happens when a channel has sent too many."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.alerts import AlertItem, DeliveryBody, DeliveryRecord
from gnomon.model.instants import SECOND, Instant
from gnomon.services.monitor.settings import HOUR_S, ITEMS_MAX, MonitorSettings
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alert_deliveries

_NUMBERS = re.compile(r"\d+")
_HASH_LENGTH = 16


def compute_group_key(rule: AlertRule, item: AlertItem, reason: str | None, uid: str) -> str:
    """What the alert has in common with others of its message; `uid` is unique."""
    if rule.group_by == "none":
        return f"alert:{uid}"
    if rule.group_by == "rule":
        return f"rule:{rule.name}"
    if rule.group_by == "reason" and reason:
        return f"reason:{hashlib.sha256(_NUMBERS.sub('#', reason).encode()).hexdigest()[:_HASH_LENGTH]}"
    return f"{item.kind}:{item.dag_id}" if item.dag_id is not None else item.kind


class DeliveryQueue:
    """Adds alerts to messages, and decides which messages are sent now."""

    def __init__(self, settings: MonitorSettings, new_id: Callable[[], str]) -> None:
        self._settings = settings
        self._new_id = new_id

    def add(self, tx: Transaction, rule: AlertRule, item: AlertItem, reason: str | None, now: Instant) -> None:
        """Add the alert to a message of each channel of the rule."""
        for channel in rule.to:
            uid = self._new_id()
            key = compute_group_key(rule, item, reason, uid)
            last = alert_deliveries.find_newest_of_group(tx, channel, key)
            if last is not None and self._extend(tx, last, [item]):
                continue
            due_at = now + round(self._settings.group_wait_s * SECOND)
            if last is not None:
                due_at = max(due_at, min(last.due_at, now) + round(self._settings.group_interval_s * SECOND))
            shared = reason if rule.group_by == "reason" else None
            alert_deliveries.add_delivery(
                tx, uid, channel, key, now, due_at, DeliveryBody(items=(item,), count=1, reason=shared)
            )

    def _extend(
        self, tx: Transaction, delivery: DeliveryRecord, items: Sequence[AlertItem], count: int | None = None
    ) -> bool:
        """Add alerts to a message of which no try has begun; False when one has."""
        if delivery.state != "pending" or delivery.tries:
            return False
        body = delivery.body
        known_items = {_identify(item) for item in body.items}
        new = [item for item in items if _identify(item) not in known_items]
        repeated = len(items) - len(new)
        kept_items = (*body.items, *new)[:ITEMS_MAX]
        total = body.count + (len(items) if count is None else count) - repeated
        return alert_deliveries.extend_delivery(tx, delivery.delivery_pk, replace(body, items=kept_items, count=total))

    def take_due(
        self,
        tx: Transaction,
        channels: Iterable[AlertChannel],
        busy: frozenset[str],
        now: Instant,
        limit: int,
        tries_max: int,
    ) -> list[DeliveryRecord]:
        """Begin a try of the next message of each channel that is not busy and may send; returns at most `tries_max` messages.

        A channel that has sent its `max_per_hour` waits; what it could not send becomes one message.
        """
        due: dict[str, list[DeliveryRecord]] = {}
        for delivery in alert_deliveries.list_due_deliveries(tx, now, limit):
            due.setdefault(delivery.channel, []).append(delivery)
        allowed = {channel.name: channel.max_per_hour for channel in channels}
        taken: list[DeliveryRecord] = []
        for name, deliveries in due.items():
            if name in busy or len(taken) >= tries_max:
                continue
            sent, first_at = alert_deliveries.count_sent(tx, name, now - round(HOUR_S * SECOND))
            room = allowed.get(name, len(deliveries) + sent) - sent
            if room <= 0:
                at = (first_at or now) + round(HOUR_S * SECOND) + SECOND
                for delivery in deliveries:
                    alert_deliveries.postpone_delivery(tx, delivery.delivery_pk, at)
                continue
            chosen = deliveries[0]
            if len(deliveries) > room:
                chosen = self._merge(tx, deliveries)
            if alert_deliveries.begin_delivery(tx, chosen.delivery_pk):
                taken.append(chosen)
        return taken

    def _merge(self, tx: Transaction, deliveries: Sequence[DeliveryRecord]) -> DeliveryRecord:
        """One message with the alerts of all of which no try has begun; the first message when a try of it has begun."""
        fresh = [delivery for delivery in deliveries if not delivery.tries]
        if deliveries[0].tries or len(fresh) < 2:
            return deliveries[0]
        items = [item for delivery in fresh for item in delivery.body.items]
        count = sum(delivery.body.count for delivery in fresh)
        body = DeliveryBody(items=tuple(items[:ITEMS_MAX]), count=count)
        alert_deliveries.extend_delivery(tx, fresh[0].delivery_pk, body)
        for delivery in fresh[1:]:
            alert_deliveries.remove_delivery(tx, delivery.delivery_pk)
        return DeliveryRecord(
            fresh[0].delivery_pk,
            fresh[0].uid,
            fresh[0].channel,
            fresh[0].group_key,
            "pending",
            fresh[0].created_at,
            fresh[0].due_at,
            0,
            None,
            None,
            body,
        )


def _identify(item: AlertItem) -> tuple[object, ...]:
    """Two rules may raise the same alert; a message lists it once."""
    return (item.kind, item.is_resolved, item.at, item.dag_id, item.run_id, item.task_id, item.map_index, item.text)
