"""What a deferred task instance waits for: its trigger, on which triggerer, since when, until when."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.sentences import render
from gnomon.queries.report.listings.deferral_status import describe_trigger, list_live_triggerers
from gnomon.storage.store import Transaction
from gnomon.storage.store.trigger_queue import deferrals, trigger_claims


@dataclass(frozen=True, slots=True)
class DeferralFacts:
    """The arguments of the trigger are not among them: they are stored encrypted, for triggerers only."""

    classpath: str
    kind: str
    """`timer`, which the scheduler keeps; `question` to a person; `trigger` on a triggerer."""
    since: Instant
    due_at: Instant | None
    """When a timer fires."""
    fails_at: Instant | None
    """When the task fails if no event comes before."""
    next_method: str | None
    """The method that it resumes in; None: the event ends the task."""
    queue: str | None
    triggerer: str | None
    """The id of the triggerer that runs it."""
    host: str | None
    notes: list[str]
    """Where the trigger runs, or why nowhere, and its faults."""


def find_deferral(tx: Transaction, key: TaskKey) -> DeferralFacts | None:
    """The facts of the deferral that the task instance waits for; None when it does not wait for one."""
    record = deferrals.load_deferrals(tx, [key.run_pk]).get(key)
    if record is None or record.result is not None:
        return None
    status = trigger_claims.find_deferral_status(tx, key)
    triggerer = None if status is None else status.triggerer
    host = next((row.host for row in list_live_triggerers(tx) if row.triggerer_id == triggerer), None)
    kind = "question" if record.request.hitl is not None else "timer" if record.due_at is not None else "trigger"
    return DeferralFacts(
        record.request.classpath,
        kind,
        record.created_at,
        record.due_at,
        record.timeout_at,
        record.request.next_method,
        record.request.queue,
        triggerer,
        host,
        list(map(render, describe_trigger(tx, key))),
    )
