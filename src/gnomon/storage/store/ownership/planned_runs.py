"""Creates the runs that planning decided on (PLAN in docs/contributing/ownership.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from gnomon.model.change_entries import DagChange, RunChange
from gnomon.model.instants import Instant, iso
from gnomon.model.records import EventRecord, PlanChange, PlanOutcome, RunRecord
from gnomon.model.sentences import render, say
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.states import RUN_STATE_CODES, DagRunState, DagRunType
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.dag_records import event_log, newest_runs
from gnomon.storage.store.record_codec import encode_plan_state
from gnomon.storage.store.transaction import Row, Transaction

PLANNED_TYPES = (DagRunType.SCHEDULED.value, DagRunType.BACKFILL.value)
"""The types of runs that a timetable planned: their slot is their run_after."""


def create_planned_runs(tx: Transaction, changes: Iterable[PlanChange], now: Instant) -> list[PlanOutcome]:
    """Apply each change in a savepoint of its own; returns the outcomes in order. No change fails the transaction.

    The cursor moves and the runs are created only if `plan_seq` still has the expected value and the DAG is not paused. Slots
    without a run are logged (`slots_passed`, JSON of model.slots.SkippedSlots). If a manual run has a slot, no run is created,
    the event is logged, and the manual run stands for the slot. If the run of another slot has the run id, the change of the DAG
    ends there: the runs before it are created, the cursor stays before the slot, and the DAG shows the error.
    """
    return [_plan_dag(tx, change, now) for change in changes]


class _RunIdTaken(Exception):
    """Undoes the change of one DAG."""

    def __init__(self, message: str, planned: PlannedRun) -> None:
        super().__init__(message)
        self.planned = planned


def _plan_dag(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    try:
        with tx.savepoint():
            return _apply_change(tx, change, now)
    except _RunIdTaken as taken:
        error = str(taken)
        kept_change = _cut_change(change, taken.planned, error)
    if kept_change is None:
        return refuse_plan(tx, change, error)
    with tx.savepoint():
        outcome = _apply_change(tx, kept_change, now)
    outcome.error, outcome.instead = error, kept_change
    return outcome


def refuse_plan(tx: Transaction, change: PlanChange, error: str) -> PlanOutcome:
    """Store no run of the change: the cursor stays, and the DAG shows the error."""
    is_current = tx.run("commit.reject_plan", dag_pk=change.dag_pk, expected=change.believed_plan_seq, error=error)
    record_change(tx, DagChange(change.dag_pk, "updated"))
    return PlanOutcome(change.dag_pk, accepted=bool(is_current), error=error)


def _cut_change(change: PlanChange, planned: PlannedRun, error: str) -> PlanChange | None:
    """The part of a change before that run, with the error; None when the run is the first."""
    runs = change.runs[: change.runs.index(planned)]
    if not runs:
        return None
    last = runs[-1]
    skipped_before = tuple(skipped for skipped in change.skipped if skipped.first < planned.run_after)
    cursor = Cursor(run_after=last.run_after, interval_start=last.interval_start, interval_end=last.interval_end)
    return replace(change, runs=runs, cursor=cursor, next_run=None, error=error, skipped=skipped_before)


def _apply_change(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    outcome = PlanOutcome(change.dag_pk, accepted=_move_cursor(tx, change))
    if not outcome.accepted:
        return outcome
    event_log.log_events(
        tx,
        [
            EventRecord(now, "slots_passed", dag_pk=change.dag_pk, body=msgspec.json.encode(slots).decode())
            for slots in change.skipped
        ],
    )
    for planned in change.runs:
        run_pk = _insert_run(tx, change, planned, now, outcome)
        if run_pk is not None:
            outcome.created.append(_make_record(change, planned, run_pk, now))
    if outcome.created:
        queued = RUN_STATE_CODES[DagRunState.QUEUED]
        tx.send_many("commit.tallies", [(change.dag_pk, queued, len(outcome.created))])
        newest_runs.record_created(tx, change.dag_pk, [(run.run_after, run.run_pk) for run in outcome.created])
        record_change(tx, *(RunChange(run.dag_pk, run.run_pk, queued, run.run_id) for run in outcome.created))
    if change.error is not None:
        record_change(tx, DagChange(change.dag_pk, "updated"))
    return outcome


def _move_cursor(tx: Transaction, change: PlanChange) -> bool:
    following = change.next_run
    return (
        tx.run(
            "commit.move_cursor",
            dag_pk=change.dag_pk,
            expected=change.believed_plan_seq,
            cursor=encode_plan_state(change.cursor),
            next_run_after=None if following is None else following.run_after,
            next_body=encode_plan_state(following),
            fingerprint=change.fingerprint,
            error=change.error,
            live_at=change.live_at,
        )
        == 1
    )


def _insert_run(
    tx: Transaction, change: PlanChange, planned: PlannedRun, now: Instant, outcome: PlanOutcome
) -> int | None:
    """The key of the new run; None when a manual run or a run of a backfill has its slot, which is logged.

    The manual run then stands for the slot.

    Two planned runs may have the same logical date: ticks on the 29th, 30th and 31st of March, each for the month before it,
    begin at the end of February. They are different slots, distinguished by the instants at which they are due.
    """
    run_pk = _insert_row(tx, change, planned, planned.slot_key, now)
    if run_pk is not None:
        return run_pk
    holder = _find_slot_holder(tx, change, planned, planned.slot_key)
    if holder[2] in PLANNED_TYPES and holder[3] != planned.run_after:
        run_pk = _insert_row(tx, change, planned, planned.second_key, now)
        if run_pk is not None:
            return run_pk
        holder = _find_slot_holder(tx, change, planned, planned.second_key)
    body = f"slot {iso(planned.logical_at) or iso(planned.run_after)} belongs to run {holder[1]!r}; {planned.run_id!r} was not created"
    event_log.log_event(tx, EventRecord(now, "slot_held", dag_pk=change.dag_pk, run_pk=holder[0], body=body))
    outcome.occupied_slots.append(planned.slot_key)
    if tx.run("commit.set_stands_for", run_pk=holder[0], slot=planned.run_after):
        outcome.standing[holder[0]] = planned.run_after
    return None


def _insert_row(tx: Transaction, change: PlanChange, planned: PlannedRun, slot_key: str, now: Instant) -> int | None:
    """The key of the new run; None when its slot or its run id is taken."""
    row = tx.one(
        "commit.insert_planned_run",
        dag_pk=change.dag_pk,
        group_no=change.group_no,
        run_id=planned.run_id,
        slot_key=slot_key,
        run_type=DagRunType.SCHEDULED.value,
        logical_at=planned.logical_at,
        interval_start=planned.interval_start,
        interval_end=planned.interval_end,
        run_after=planned.run_after,
        version_pk=change.version_pk,
        queued_at=now,
        partition_key=planned.partition_key,
        partition_date=planned.partition_date,
    )
    return None if row is None else int(row[0])


def _find_slot_holder(tx: Transaction, change: PlanChange, planned: PlannedRun, slot_key: str) -> Row:
    """The run that has the slot. Raises _RunIdTaken when the slot is free, because then the run id is taken."""
    holder = tx.one("dag_runs.slot_holder", dag_pk=change.dag_pk, slot_key=slot_key)
    if holder is None:
        raise _RunIdTaken(_describe_taken_id(tx, change, planned), planned)
    return holder


def _describe_taken_id(tx: Transaction, change: PlanChange, planned: PlannedRun) -> str:
    by_id = tx.one("dag_runs.run_id_holder", dag_pk=change.dag_pk, run_id=planned.run_id)
    if by_id is not None and by_id[2] not in PLANNED_TYPES:
        return render(say("run_id_of_slot_has_other_type", run=planned.run_id, run_type=by_id[2]))
    return render(say("run_id_of_slot_is_taken", run=planned.run_id))


def _make_record(change: PlanChange, planned: PlannedRun, run_pk: int, now: Instant) -> RunRecord:
    return RunRecord(
        run_pk,
        change.dag_pk,
        planned.run_id,
        DagRunType.SCHEDULED,
        DagRunState.QUEUED,
        planned.run_after,
        planned.logical_at,
        planned.interval_start,
        planned.interval_end,
        change.version_pk,
        {},
        now,
        partition_key=planned.partition_key,
        partition_date=planned.partition_date,
    )
