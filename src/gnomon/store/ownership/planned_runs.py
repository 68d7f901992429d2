"""Making the runs that planning decided on: OWNERSHIP.md lines 22 and 23."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from gnomon.model.instants import Instant, iso
from gnomon.model.records import PlanChange, PlanOutcome, RunRecord
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.states import RUN_STATE_CODES, DagRunState, DagRunType
from gnomon.store.record_codec import encode_plan_state
from gnomon.store.transaction import Row, Transaction


def create_planned_runs(tx: Transaction, changes: Iterable[PlanChange], now: Instant) -> list[PlanOutcome]:
    """What became of each change, in order. Each DAG stands or falls alone; none fails the transaction.

    The cursor moves and the runs are made only if `plan_seq` is still the believed one and the DAG is not paused. What was
    passed stands in the event log (`slots_passed`, JSON of model.slots.Passed). A slot that a manual run holds is passed
    over, with a line in the event log, and that run stands for it. At a run id that another slot's run has, the DAG's
    change ends: the runs before it are made, the cursor stays before its slot, the error stands on the DAG.
    """
    return [_plan_dag(tx, change, now) for change in changes]


class _RunIdTaken(Exception):
    """Undoes one DAG's change."""

    def __init__(self, sentence: str, planned: PlannedRun) -> None:
        super().__init__(sentence)
        self.planned = planned


def _plan_dag(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    try:
        with tx.savepoint():
            return _apply_change(tx, change, now)
    except _RunIdTaken as taken:
        error = str(taken)
        kept = _cut_change(change, taken.planned, error)
    if kept is None:
        stands = tx.run("commit.plan_refused", dag_pk=change.dag_pk, believed=change.believed_plan_seq, error=error)
        return PlanOutcome(change.dag_pk, accepted=bool(stands), error=error)
    with tx.savepoint():
        outcome = _apply_change(tx, kept, now)
    outcome.error, outcome.instead = error, kept
    return outcome


def _cut_change(change: PlanChange, planned: PlannedRun, error: str) -> PlanChange | None:
    """The part of a change before that run, with the error; None when there is none."""
    runs = change.runs[: change.runs.index(planned)]
    if not runs:
        return None
    last = runs[-1]
    passed = tuple(one for one in change.passed if one.first < planned.run_after)
    cursor = Cursor(run_after=last.run_after, interval_start=last.interval_start, interval_end=last.interval_end)
    return replace(change, runs=runs, cursor=cursor, next_run=None, error=error, passed=passed)


def _apply_change(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    outcome = PlanOutcome(change.dag_pk, accepted=_move_cursor(tx, change))
    if not outcome.accepted:
        return outcome
    passed = [
        (now, "slots_passed", change.dag_pk, None, None, -1, "scheduler", msgspec.json.encode(one).decode())
        for one in change.passed
    ]
    tx.send_many("commit.event", passed)
    for planned in change.runs:
        run_pk = _insert_run(tx, change, planned, now, outcome)
        if run_pk is not None:
            outcome.created.append(_make_record(change, planned, run_pk, now))
    if outcome.created:
        queued = RUN_STATE_CODES[DagRunState.QUEUED]
        tx.send_many("commit.tally", [(change.dag_pk, queued, len(outcome.created))])
    return outcome


def _move_cursor(tx: Transaction, change: PlanChange) -> bool:
    following = change.next_run
    return tx.run(
        "commit.plan", dag_pk=change.dag_pk, believed=change.believed_plan_seq, cursor=encode_plan_state(change.cursor),
        next_run_after=None if following is None else following.run_after, next_body=encode_plan_state(following),
        fingerprint=change.fingerprint, error=change.error, live_at=change.live_at,
    ) == 1


def _insert_run(tx: Transaction, change: PlanChange, planned: PlannedRun, now: Instant, outcome: PlanOutcome) -> int | None:
    """The key of the new run; None when its slot is held, which is logged: a run by hand stands for it from now on.

    Two planned runs may have one logical date: ticks on the 29th, 30th and 31st of March, each about the month before it,
    begin at the end of February. They are different slots, told apart by when they are due, and none is lost.
    """
    run_pk = _insert_row(tx, change, planned, planned.slot_key, now)
    if run_pk is not None:
        return run_pk
    holder = _find_slot_holder(tx, change, planned, planned.slot_key)
    if holder[2] == DagRunType.SCHEDULED.value and holder[3] != planned.run_after:
        run_pk = _insert_row(tx, change, planned, planned.second_key, now)
        if run_pk is not None:
            return run_pk
        holder = _find_slot_holder(tx, change, planned, planned.second_key)
    body = f"slot {iso(planned.logical_at) or iso(planned.run_after)} is held by run {holder[1]!r}; {planned.run_id!r} was not made"
    tx.send_many("commit.event", [(now, "slot_held", change.dag_pk, holder[0], None, -1, "scheduler", body)])
    outcome.occupied_slots.append(planned.slot_key)
    if tx.run("commit.stand", run_pk=holder[0], slot=planned.run_after):
        outcome.standing[holder[0]] = planned.run_after
    return None


def _insert_row(tx: Transaction, change: PlanChange, planned: PlannedRun, slot_key: str, now: Instant) -> int | None:
    """The key of the new run; None when slot or run id is taken."""
    row = tx.one(
        "commit.plan_run", dag_pk=change.dag_pk, group_no=change.group_no, run_id=planned.run_id,
        slot_key=slot_key, run_type=DagRunType.SCHEDULED.value, logical_at=planned.logical_at,
        interval_start=planned.interval_start, interval_end=planned.interval_end, run_after=planned.run_after,
        version_pk=change.version_pk, queued_at=now,
    )
    return None if row is None else int(row[0])


def _find_slot_holder(tx: Transaction, change: PlanChange, planned: PlannedRun, slot_key: str) -> Row:
    """The run in the slot; _RunIdTaken when it is free, so that the run id must have been taken."""
    holder = tx.one("runs.holder", dag_pk=change.dag_pk, slot_key=slot_key)
    if holder is None:
        raise _RunIdTaken(
            f"run {planned.run_id!r} cannot be made: another run of this DAG has that run id and stands for another slot; "
            "let its timetable's generate_run_id return another one for each slot",
            planned,
        )
    return holder


def _make_record(change: PlanChange, planned: PlannedRun, run_pk: int, now: Instant) -> RunRecord:
    return RunRecord(
        run_pk, change.dag_pk, planned.run_id, DagRunType.SCHEDULED, DagRunState.QUEUED, planned.run_after,
        planned.logical_at, planned.interval_start, planned.interval_end, change.version_pk, {}, now,
    )
