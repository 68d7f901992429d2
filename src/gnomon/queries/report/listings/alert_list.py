"""Alerts and messages as `gnomon alerts` prints them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gnomon.model.alerts import AlertKind, AlertRecord, AlertRuleSpec, DeliveryRecord
from gnomon.model.instants import iso
from gnomon.model.sentences import Sentence, StoredSentence, quote, read_sentence, store_sentence
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alert_deliveries, alerts
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.dag_records.dags import StoredDag
from gnomon.storage.store.record_codec import decode_spec_without_tasks

SPECS_MAX = 200
"""The most specs that one statement reads."""


@dataclass(frozen=True, slots=True)
class AlertRow:
    """One alert."""

    raised_at: str
    resolved_at: str | None
    state: str
    """`open`, `resolved`, or `-` for an alert about a moment (a retry), which is never open."""
    kind: str
    rule: str
    dag_id: str | None
    run_id: str | None
    runs: int | None
    """Of a failure: how many runs have failed since it was raised; `run_id` is the last of them in the order of runs."""
    sentence: str
    """What happened, in English; by `put_into` in another language."""
    message: StoredSentence
    """The same with its code and its arguments."""

    def put_into(self, word: Callable[[Sentence], str]) -> AlertRow:
        """The row with the words of a language."""
        return replace(self, sentence=word(read_sentence(self.message)))

    def hide(self, hide: Callable[[str], str]) -> AlertRow:
        """The row without the names of hidden DAGs and baselines: a sentence that has some is a text."""
        text, rule = hide(self.sentence), hide(self.rule)
        if text == self.sentence:
            return self if rule == self.rule else replace(self, rule=rule)
        return replace(self, rule=rule, sentence=text, message=store_sentence(quote(text)))


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One message to one channel."""

    created_at: str
    channel: str
    state: str
    tries: int
    ended_at: str | None
    next_try_at: str | None
    alerts: int
    error: str | None
    sentences: list[str]
    """What its alerts say, in English; by `put_into` in another language."""
    messages: list[StoredSentence]
    """The same with their codes and their arguments."""
    delivery: str
    """The idempotency key."""

    def put_into(self, word: Callable[[Sentence], str]) -> DeliveryRow:
        """The row with the words of a language."""
        error = None if self.error is None else word(quote(self.error))
        return replace(self, error=error, sentences=[word(read_sentence(message)) for message in self.messages])


def list_alerts(tx: Transaction, limit: int, *, open_only: bool = False) -> list[AlertRow]:
    """The newest alerts, or those that are not resolved; newest first."""
    records = alerts.list_open_alerts(tx)[::-1][:limit] if open_only else alerts.list_newest_alerts(tx, limit)
    return [_alert_row(alert) for alert in records]


def list_deliveries(tx: Transaction, limit: int) -> list[DeliveryRow]:
    """The newest messages, newest first."""
    return [_delivery_row(delivery) for delivery in alert_deliveries.list_newest_deliveries(tx, limit)]


def _alert_row(alert: AlertRecord) -> AlertRow:
    state = "open" if alert.resolved_at is None else "-" if alert.resolved_at == alert.raised_at else "resolved"
    return AlertRow(
        iso(alert.raised_at) or "",
        iso(alert.resolved_at),
        state,
        alert.kind,
        alert.rule,
        alert.item.dag_id,
        alert.item.run_id,
        alert.item.failed_runs if alert.kind == AlertKind.FAILURE else None,
        alert.item.text,
        store_sentence(alert.item.message),
    )


def _delivery_row(delivery: DeliveryRecord) -> DeliveryRow:
    return DeliveryRow(
        iso(delivery.created_at) or "",
        delivery.channel,
        delivery.state,
        delivery.tries,
        iso(delivery.ended_at),
        iso(delivery.due_at) if delivery.ended_at is None else None,
        delivery.body.count,
        delivery.error,
        [item.text for item in delivery.body.items],
        [store_sentence(item.message) for item in delivery.body.items],
        delivery.uid,
    )


def list_dag_rules(tx: Transaction) -> list[tuple[StoredDag, int, AlertRuleSpec]]:
    """The rules in the files of DAGs that exist, each with its number in its DAG; by DAG id."""
    active_dags = [dag for dag in dags.list_dags(tx) if dag.active]
    listed: list[tuple[StoredDag, int, AlertRuleSpec]] = []
    for first in range(0, len(active_dags), SPECS_MAX):
        batch = active_dags[first : first + SPECS_MAX]
        packed: dict[int, bytes] = dict(tx.all("group_state.specs", version_pks=[dag.version_pk for dag in batch]))
        for dag in batch:
            rules = decode_spec_without_tasks(packed[dag.version_pk]).alerts if dag.version_pk in packed else ()
            listed += [(dag, number, rule) for number, rule in enumerate(rules, start=1)]
    return listed
