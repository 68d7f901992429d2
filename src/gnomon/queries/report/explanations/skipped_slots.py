"""Sentences on why a slot has no run, from the event log and from the state of the DAG."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from gnomon.model.ids import quote_argument
from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.records import DagRecord, EventRecord
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


def describe_newest_skipped(tx: Transaction, dag: DagRecord) -> list[str]:
    """Sentences on the newest slots that were skipped without a run."""
    return [
        f"skipped at {iso(event.at)}: {_describe_event(event)}"
        for event in event_log.list_skipped_slots(tx, dag.dag_pk, _SHOWN)
    ]


def explain_slot(tx: Transaction, dag: DagRecord, at: Instant, now: Instant) -> list[str]:
    """Sentences on why there is no run for the slot with that logical date or due time, or the run when there is one."""
    holder = dag_runs.find_slot_holder(tx, dag.dag_pk, str(at))
    sentences = [] if holder is None else [f"there is a run for logical date {iso(at)}: {holder}"]
    run_ids = [run_id for run_id, _ in upstream_dags.list_runs_of_slots(tx, dag.dag_pk, [at]).get(at, ())]
    sentences += [f"the run of the slot due at {iso(at)} is: {run_id}" for run_id in run_ids if run_id != holder]
    if sentences:
        return sentences
    for event in event_log.list_skipped_slots(tx, dag.dag_pk):
        if _is_about(event, at):
            return [f"the slot has no run, as decided at {iso(event.at)}: {_describe_event(event)}"]
    return [describe_undecided(dag, at, now)]


def describe_undecided(dag: DagRecord, at: Instant, now: Instant) -> str:
    """Why the slot at that time has no run, where nothing was recorded about it."""
    spec, next_run = dag.spec, dag.next_run
    if spec.start_at is not None and at < spec.start_at:
        return f"the slot is before the start_date {iso(spec.start_at)} of the DAG"
    if spec.end_at is not None and at > spec.end_at:
        return f"the slot is after the end_date {iso(spec.end_at)} of the DAG"
    if at > now:
        return (
            f"the slot is in the future; see the coming runs with: gnomon dags next-runs {quote_argument(dag.dag_id)}"
        )
    if dag.paused and not _is_before_cursor(dag, at):
        return f"DAG {dag.dag_id} is paused; see what unpausing does with this slot: gnomon dags next-runs {quote_argument(dag.dag_id)}"
    error = find_planning_error(dag)
    if error:
        return f"planning stopped: {error}"
    if next_run is not None and next_run.run_after <= at:
        return f"an earlier slot is not planned yet: the next run was due at {iso(next_run.run_after)}; see: gnomon explain {quote_argument(dag.dag_id)}"
    if dag.live_at is not None and at < dag.live_at and not spec.catchup:
        return f"the DAG was unpaused later, at {iso(dag.live_at)}, and catchup is off"
    return f"the schedule has no slot at that time, as far as is known; see: gnomon timetables preview {quote_argument(dag.dag_id)}"


def _is_before_cursor(dag: DagRecord, at: Instant) -> bool:
    """Whether the last planned slot is later than `at`: then the slot at `at` is never planned any more."""
    cursor = dag.cursor
    return cursor is not None and at < (cursor.run_after if cursor.interval_start is None else cursor.interval_start)


def _is_about(event: EventRecord, at: Instant) -> bool:
    if event.kind == "slot_held":
        return (iso(at) or "") in event.body
    note = msgspec.json.decode(event.body, type=SkippedSlots)
    return note.first <= at < note.until


def _describe_event(event: EventRecord) -> str:
    return (
        event.body
        if event.kind == "slot_held"
        else describe_skipped(msgspec.json.decode(event.body, type=SkippedSlots))
    )
