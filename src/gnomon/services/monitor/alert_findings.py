"""What one round of the monitor has found: alerts to raise and to resolve, and how they are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote

from gnomon.ground import log
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.alerts import AlertItem, AlertKind, AlertRecord
from gnomon.model.ids import quote_arguments
from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences.stored_sentences import pack_details
from gnomon.services.monitor.delivery_queue import DeliveryQueue
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alert_events, alerts
from gnomon.storage.store.dag_records.event_log import log_event

POINT_KINDS = frozenset({AlertKind.TASK_FAILURE, AlertKind.RETRY})
"""Alerts about an event whose cause cannot go: they are never open."""
_log = log.get_logger("monitor")


@dataclass(frozen=True, slots=True)
class RaisedAlert:
    """An alert to raise."""

    rule: AlertRule
    item: AlertItem
    subject: str
    dag_pk: int | None = None
    run_pk: int | None = None
    reason: str | None = None
    """Why a run or try failed, for `group_by = "reason"`."""


@dataclass(frozen=True, slots=True)
class ResolvedAlert:
    """An alert whose cause is gone; with no `item` nobody is told."""

    alert: AlertRecord
    rule: AlertRule | None
    item: AlertItem | None


@dataclass(slots=True)
class AlertFindings:
    """All findings of a round."""

    raised: list[RaisedAlert] = field(default_factory=list)
    resolved: list[ResolvedAlert] = field(default_factory=list)
    event_pks: list[int] = field(default_factory=list)
    """The facts that were applied."""

    def __bool__(self) -> bool:
        return bool(self.raised or self.resolved or self.event_pks)


def build_run_command(dag_id: str, run_id: str) -> str:
    """The command that explains a run."""
    return f"gnomon explain {quote_arguments(dag_id, run_id)}"


def build_link(base_url: str, dag_id: str | None, run_id: str | None) -> str | None:
    """The address of the web page, about the run; None without `[alerts] base_url`."""
    if not base_url:
        return None
    if dag_id is None:
        return f"{base_url}/"
    run = "" if run_id is None else f"&run_id={quote(run_id, safe='')}"
    return f"{base_url}/?dag_id={quote(dag_id, safe='')}{run}"


def build_baseline_link(base_url: str, name: str) -> str | None:
    """The address of the page of a baseline; None without `[alerts] base_url`."""
    return f"{base_url}/baselines/{quote(name, safe='')}" if base_url else None


def store_findings(tx: Transaction, findings: AlertFindings, queue: DeliveryQueue, now: Instant) -> int:
    """Store alerts, messages and lines of the audit log, and delete the facts that were applied; returns how many alerts were raised."""
    for resolved in findings.resolved:  # first: a run that has failed meanwhile opens an alert anew
        _resolve(tx, resolved, queue, now)
    count = sum(_raise(tx, raised, queue, now) for raised in findings.raised)
    alert_events.remove_events(tx, findings.event_pks)
    return count


def _raise(tx: Transaction, raised: RaisedAlert, queue: DeliveryQueue, now: Instant) -> bool:
    item, rule = raised.item, raised.rule
    is_closed = item.kind in POINT_KINDS or not rule.resolved
    joined = (
        None
        if is_closed or raised.run_pk is None or item.kind != AlertKind.FAILURE
        else alerts.join_failure(tx, item, raised.subject, raised.run_pk)
    )
    if joined is not None:
        item = joined
    elif not alerts.raise_alert(tx, item, raised.subject, raised.dag_pk, raised.run_pk, closed=is_closed):
        return False
    details = {"rule": rule.name, "kind": item.kind, "sentence": item.sentence, "channels": list(rule.to)}
    log_event(
        tx,
        EventRecord(
            now,
            "alert_raised",
            dag_pk=raised.dag_pk,
            run_pk=raised.run_pk,
            by="monitor",
            body=pack_details(details),
        ),
    )
    queue.add(tx, rule, item, raised.reason, now)
    _log.warning("alert_raised", kind=item.kind, rule=rule.name, sentence=item.text)
    return True


def _resolve(tx: Transaction, resolved: ResolvedAlert, queue: DeliveryQueue, now: Instant) -> None:
    alert = resolved.alert
    if not alerts.resolve_alert(tx, alert.alert_pk, now):
        return
    sentence = alert.item.sentence if resolved.item is None else resolved.item.sentence
    details = {"rule": alert.rule, "kind": alert.kind, "sentence": sentence}
    log_event(
        tx,
        EventRecord(
            now,
            "alert_resolved",
            dag_pk=alert.dag_pk,
            run_pk=alert.run_pk,
            by="monitor",
            body=pack_details(details),
        ),
    )
    if resolved.item is not None and resolved.rule is not None:
        queue.add(tx, resolved.rule, resolved.item, None, now)
