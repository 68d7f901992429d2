"""Which unfinished runs are late, and since when: those that have not started when they were due, and those that run longer than usual."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunState, DagRunType
from gnomon.queries.report.activity.current_work import LATE_AFTER_S, DagFacts, find_slow_since
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import run_listing

UNFINISHED_MAX = 5_000
"""Unfinished runs that are looked at; of more, the newest."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """Since when a run is late."""

    run_pk: int
    since: Instant


def find_late_runs(tx: Transaction, now: Instant, facts: DagFacts) -> dict[tuple[str, str], Lateness]:
    """By DAG id and run id, the runs that are late at `now`."""
    late = {}
    for named in run_listing.list_unfinished_of_all(tx, UNFINISHED_MAX):
        since = find_late_since(tx, named.run, now, facts)
        if since is not None:
            late[named.dag_id, named.run.run_id] = Lateness(named.run.run_pk, since)
    return late


def find_late_since(tx: Transaction, run: RunRecord, now: Instant, facts: DagFacts) -> Instant | None:
    """When the unfinished run should have started or ended; None when it is not late at `now`."""
    return find_slow_since(tx, run, now, facts) if run.state is DagRunState.RUNNING else _find_due(run, now)


def _find_due(run: RunRecord, now: Instant) -> Instant | None:
    """When a queued run was due; None when that is not LATE_AFTER_S ago. A cleared run and one of a backfill were due when they were queued."""
    is_of_schedule = run.clear_number == 0 and run.run_type is not DagRunType.BACKFILL
    due = run.run_after if is_of_schedule else max(run.run_after, run.queued_at)
    return due if due < now - int(LATE_AFTER_S * SECOND) else None
