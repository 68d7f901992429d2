"""Making the runs that planning decided on: OWNERSHIP.md lines 22 and 23."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.instants import Instant
from gnomon.model.records import PlanChange, PlanOutcome, RunRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATE_CODES, DagRunState, DagRunType
from gnomon.store.rows import pack
from gnomon.store.transaction import Transaction


def plan(tx: Transaction, changes: Iterable[PlanChange], now: Instant) -> list[PlanOutcome]:
    """What became of each change, in order. Each DAG stands or falls alone; none fails the transaction.

    The cursor moves and the runs are made only if `plan_seq` is still the believed one and the DAG is not paused. A slot
    that a manual run holds is passed over, with a line in the event log. A run id that another slot's run has undoes the
    DAG's change: the cursor stays, the error stands on the DAG.
    """
    return [_plan_dag(tx, change, now) for change in changes]


class _RunIdTaken(Exception):
    """Undoes one DAG's change."""


def _plan_dag(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    try:
        with tx.savepoint():
            return _move(tx, change, now)
    except _RunIdTaken as taken:
        error = str(taken)
        stands = tx.run(
            "commit.plan_refused", dag_pk=change.dag_pk, believed=change.believed_plan_seq, error=error,
            fingerprint=change.fingerprint,
        )
        return PlanOutcome(change.dag_pk, accepted=bool(stands), error=error)


def _move(tx: Transaction, change: PlanChange, now: Instant) -> PlanOutcome:
    outcome = PlanOutcome(change.dag_pk, accepted=_move_cursor(tx, change))
    if not outcome.accepted:
        return outcome
    for planned in change.runs:
        run_pk = _insert(tx, change, planned, now)
        if run_pk is not None:
            outcome.created.append(_record(change, planned, run_pk, now))
        else:
            outcome.held.append(planned.slot_key)
    if outcome.created:
        queued = RUN_STATE_CODES[DagRunState.QUEUED]
        tx.send_many("commit.tally", [(change.dag_pk, queued, len(outcome.created))])
    return outcome


def _move_cursor(tx: Transaction, change: PlanChange) -> bool:
    following = change.next_run
    return tx.run(
        "commit.plan", dag_pk=change.dag_pk, believed=change.believed_plan_seq, cursor=pack(change.cursor),
        next_run_after=None if following is None else following.run_after, next_body=pack(following),
        fingerprint=change.fingerprint, error=change.error,
    ) == 1


def _insert(tx: Transaction, change: PlanChange, planned: PlannedRun, now: Instant) -> int | None:
    """The key of the new run; None when its slot is held (which is logged)."""
    row = tx.one(
        "commit.plan_run", dag_pk=change.dag_pk, group_no=change.group_no, run_id=planned.run_id,
        slot_key=planned.slot_key, run_type=DagRunType.SCHEDULED.value, logical_at=planned.logical_at,
        interval_start=planned.interval_start, interval_end=planned.interval_end, run_after=planned.run_after,
        version_pk=change.version_pk, queued_at=now,
    )
    if row is not None:
        return int(row[0])
    holder = tx.one("runs.holder", dag_pk=change.dag_pk, slot_key=planned.slot_key)
    if holder is None:
        raise _RunIdTaken(
            f"run {planned.run_id!r} cannot be made: another run of this DAG has that run id and stands for another slot; "
            "delete that run, or let the timetable generate another run id"
        )
    body = f"slot {planned.slot_key} is held by run {holder[1]!r}; {planned.run_id!r} was not made"
    tx.send_many("commit.event", [(now, "slot_held", change.dag_pk, holder[0], None, -1, "scheduler", body)])
    return None


def _record(change: PlanChange, planned: PlannedRun, run_pk: int, now: Instant) -> RunRecord:
    return RunRecord(
        run_pk, change.dag_pk, planned.run_id, DagRunType.SCHEDULED, DagRunState.QUEUED, planned.run_after,
        planned.logical_at, planned.interval_start, planned.interval_end, change.version_pk, {}, now,
    )
