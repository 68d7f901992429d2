"""When is an unfinished run late, and when has it waited for too long?"""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.instants import SECOND, Instant, iso, to_datetime, to_instant
from gnomon.model.states import DagRunState
from gnomon.queries.report.activity.usual_duration import P95_RUNS, find_p95
from gnomon.rules.timetables.wall_clock.zones import zone_of
from gnomon.services.monitor.settings import P95_AGE_S
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records.alerts import UnfinishedRun


class DurationPercentiles:
    """The percentile of each DAG, read again when it is older than P95_AGE_S."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Instant, float | None]] = {}

    def find(self, tx: Transaction, dag_pk: int, now: Instant) -> float | None:
        """The percentile in seconds; None when too few runs of the DAG have succeeded."""
        percentile = self._known.get(dag_pk)
        if percentile is None or abs(now - percentile[0]) > P95_AGE_S * SECOND:
            p95 = find_p95(tx, dag_pk)
            percentile = self._known[dag_pk] = (now, None if p95 is None else p95 / SECOND)
        return percentile[1]


def describe_lateness(
    rule: AlertRule, run: UnfinishedRun, timezone: str, p95_s: float | None, now: Instant
) -> str | None:
    """Why the run is late by the rule, as the second part of a sentence; None when it is not."""
    if rule.by is not None:
        due_at = compute_due(run.run_after, rule.by, timezone)
        if now >= due_at:
            return f"has not ended by {rule.by} ({timezone}), that is {iso(due_at)}"
    if run.started_at is None:
        return None
    taken_s = (now - run.started_at) / SECOND
    if rule.longer_than_s is not None and taken_s > rule.longer_than_s:
        return f"has run for {format_span(taken_s)}, longer than {format_span(rule.longer_than_s)}"
    if rule.is_p95 and p95_s is not None and taken_s > p95_s:
        return f"has run for {format_span(taken_s)}, longer than 95 % of its last {P95_RUNS} successful runs ({format_span(p95_s)})"
    return None


def describe_waiting(rule: AlertRule, run: UnfinishedRun, now: Instant) -> str | None:
    """How long the run has waited, as the second part of a sentence; None when it is not too long."""
    if run.state is not DagRunState.QUEUED or rule.longer_than_s is None:
        return None
    since = max(run.queued_at, run.run_after)
    waited_s = (now - since) / SECOND
    return (
        f"has been waiting for {format_span(waited_s)}, since {iso(since)}" if waited_s > rule.longer_than_s else None
    )


def compute_due(run_after: Instant, by: str, timezone: str) -> Instant:
    """The first instant at or after `run_after` at which it is `by` o'clock in the zone; that time exists or is skipped by a clock change."""
    zone = zone_of(timezone)
    local = to_datetime(run_after).astimezone(zone)
    hour, minute = (int(part) for part in by.split(":"))
    due = datetime(local.year, local.month, local.day, hour, minute, tzinfo=zone)
    if to_instant(due) < run_after:
        day = local.date() + timedelta(days=1)
        due = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return to_instant(due)


def format_span(seconds: float) -> str:
    """`45s`, `12m 5s`, `2h 5m`, `3d 4h`: the two largest units."""
    remaining = round(seconds)
    if remaining < 1:
        return f"{seconds:.1f}s"
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        if remaining >= size:
            parts.append(f"{remaining // size}{unit}")
            remaining %= size
        elif parts:
            break
        if len(parts) == 2:
            break
    return " ".join(parts)
