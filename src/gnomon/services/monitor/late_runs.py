"""When is an unfinished run late, and when has it waited for too long?"""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.sentences import RunName, Sentence, say
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
) -> Sentence | None:
    """Why the run is late by the rule; None when it is not."""
    name = RunName(run.dag_id, run.run_id)
    if rule.by is not None:
        due_at = compute_due(run.run_after, rule.by, timezone)
        if now >= due_at:
            return say("run_has_not_ended_in_time", dag=run.dag_id, run=name, limit=rule.by, zone=timezone, at=due_at)
    if run.started_at is None:
        return None
    taken_s = (now - run.started_at) / SECOND
    if rule.longer_than_s is not None and taken_s > rule.longer_than_s:
        return say(
            "run_takes_longer_than_allowed",
            dag=run.dag_id,
            run=name,
            duration=round_duration(taken_s),
            allowed=rule.longer_than_s,
        )
    if rule.is_p95 and p95_s is not None and taken_s > p95_s:
        return say(
            "run_takes_longer_than_usual",
            dag=run.dag_id,
            run=name,
            duration=round_duration(taken_s),
            number=P95_RUNS,
            usual=round_duration(p95_s),
        )
    return None


def describe_waiting(rule: AlertRule, run: UnfinishedRun, now: Instant) -> Sentence | None:
    """How long the run has waited; None when it is not too long."""
    if run.state is not DagRunState.QUEUED or rule.longer_than_s is None:
        return None
    since = max(run.queued_at, run.run_after)
    waited_s = (now - since) / SECOND
    if waited_s <= rule.longer_than_s:
        return None
    return say(
        "run_has_waited_too_long",
        dag=run.dag_id,
        run=RunName(run.dag_id, run.run_id),
        duration=round_duration(waited_s),
        since=since,
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


def round_duration(seconds: float) -> float:
    """The seconds as a sentence says them: whole ones, or tenths of what is shorter than a second."""
    return round(seconds) if seconds >= 1 else round(max(seconds, 0.0), 1)
