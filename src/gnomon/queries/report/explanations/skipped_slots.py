"""Why a slot has no run, from the event log and from the state of the DAG."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.records import DagRecord, EventRecord
from gnomon.model.sentences import Command, RunName, Sentence, quote, say
from gnomon.model.slots import SkippedSlots
from gnomon.queries.report.listings.import_problems import find_planning_error
from gnomon.queries.report.next_runs import describe_skipped
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, event_log, upstream_dags

_SHOWN = 3
"""Maximum number of decisions on skipped slots that are shown of a DAG."""


def parse_instant(text: str) -> Instant | None:
    """The instant of an ISO 8601 text, or of a run id that ends with one; UTC without an offset. None when there is none."""
    try:
        moment = datetime.fromisoformat(text.rpartition("__")[2])
    except ValueError:
        return None
    return to_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def describe_newest_skipped(tx: Transaction, dag: DagRecord) -> list[Sentence]:
    """Sentences on the newest slots that were skipped without a run."""
    return [
        say("skipped_at", at=event.at, why=_describe_event(event))
        for event in event_log.list_skipped_slots(tx, dag.dag_pk, _SHOWN)
    ]


def explain_slot(tx: Transaction, dag: DagRecord, at: Instant, now: Instant) -> list[Sentence]:
    """Sentences on why there is no run for the slot with that logical date or due time, or the run when there is one."""
    holder = dag_runs.find_slot_holder(tx, dag.dag_pk, str(at))
    sentences = [] if holder is None else [say("logical_date_has_run", at=at, run=RunName(dag.dag_id, holder))]
    run_ids = [run_id for run_id, _ in upstream_dags.list_runs_of_slots(tx, dag.dag_pk, [at]).get(at, ())]
    others = [run_id for run_id in run_ids if run_id != holder]
    sentences += [say("slot_has_run", at=at, run=RunName(dag.dag_id, run_id)) for run_id in others]
    if sentences:
        return sentences
    for event in event_log.list_skipped_slots(tx, dag.dag_pk):
        if _is_about(event, at):
            return [say("slot_was_decided", at=event.at, why=_describe_event(event))]
    return [describe_undecided(dag, at, now)]


def describe_undecided(dag: DagRecord, at: Instant, now: Instant) -> Sentence:
    """Why the slot at that time has no run, where nothing was recorded about it."""
    spec, next_run, next_runs = dag.spec, dag.next_run, Command("dags next-runs", (dag.dag_id,))
    if spec.start_at is not None and at < spec.start_at:
        return say("slot_is_before_start_date", at=spec.start_at)
    if spec.end_at is not None and at > spec.end_at:
        return say("slot_is_after_end_date", at=spec.end_at)
    if at > now:
        return say("slot_is_in_the_future", command=next_runs)
    if dag.paused and not _is_before_cursor(dag, at):
        return say("dag_of_slot_is_paused", dag=dag.dag_id, command=next_runs)
    error = find_planning_error(dag)
    if error:
        return say("planning_stopped", error=error)
    if next_run is not None and next_run.run_after <= at:
        explain = Command("explain", (dag.dag_id,))
        return say("earlier_slot_is_not_planned", at=next_run.run_after, command=explain)
    if dag.live_at is not None and at < dag.live_at and not spec.catchup:
        return say("dag_was_unpaused_later", at=dag.live_at)
    return say("schedule_has_no_slot", command=Command("timetables preview", (dag.dag_id,)))


def _is_before_cursor(dag: DagRecord, at: Instant) -> bool:
    """Whether the last planned slot is later than `at`: then the slot at `at` is never planned any more."""
    cursor = dag.cursor
    return cursor is not None and at < (cursor.run_after if cursor.interval_start is None else cursor.interval_start)


def _is_about(event: EventRecord, at: Instant) -> bool:
    if event.kind == "slot_held":
        return (iso(at) or "") in event.body
    note = msgspec.json.decode(event.body, type=SkippedSlots)
    return note.first <= at < note.until


def _describe_event(event: EventRecord) -> Sentence:
    if event.kind == "slot_held":
        return quote(event.body)
    return describe_skipped(msgspec.json.decode(event.body, type=SkippedSlots))
