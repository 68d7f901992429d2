"""What the owner of a DAG writes for its backfill: runs in batches, runs that are run again, and the end.

Every function here is called inside `Database.scheduler_write`. Each batch records in the same transaction how far it came, so a
scheduler that dies between two batches leaves a backfill that its successor continues.
"""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.backfills import (
    ALREADY_EXISTS,
    IN_FLIGHT,
    TO_REPROCESS,
    BackfillChange,
    BackfillOutcome,
    BackfillRecord,
    Reprocess,
)
from gnomon.model.change_entries import BackfillNews, RunChange
from gnomon.model.instants import Instant, iso
from gnomon.model.records import RunRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.states import FIRST_FINAL_CODE, RUN_STATE_CODES, DagRunState, DagRunType
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.dag_records import newest_runs
from gnomon.storage.store.dag_records.backfills import load_slot_states
from gnomon.storage.store.ownership.planned_runs import PLANNED_TYPES
from gnomon.storage.store.record_codec import encode_json, encode_plan_state
from gnomon.storage.store.transaction import Row, Transaction


class _BackfillIdTaken(Exception):
    """Undoes the change of one backfill."""


def create_backfill_runs(tx: Transaction, change: BackfillChange, now: Instant) -> BackfillOutcome:
    """Insert a queued run for each slot that has none, and record the slots that have one; the unique keys decide.

    If a run id is used by the run of another slot, nothing of the batch is created, and the backfill shows the error.
    """
    try:
        with tx.savepoint():
            return _apply_change(tx, change, now)
    except _BackfillIdTaken as taken:
        error = str(taken)
    return BackfillOutcome(set_error(tx, change.backfill_pk, change.believed_slots, error), error=error)


def set_error(tx: Transaction, backfill_pk: int, believed_slots: int, error: str) -> bool:
    """Record why the next slots cannot be stored. False if the backfill is planned, was cancelled, or another scheduler continued it."""
    return tx.run("backfill_runs.set_error", backfill_pk=backfill_pk, error=error, believed_slots=believed_slots) == 1


def _apply_change(tx: Transaction, change: BackfillChange, now: Instant) -> BackfillOutcome:
    if not _advance(tx, change, len(change.runs), change.error):
        return BackfillOutcome(accepted=False)
    tx.many("backfill_runs.insert_runs", [_encode_run(change, run, run.slot_key, now) for run in change.runs])
    holders = load_slot_states(tx, change.dag_pk, [run.slot_key for run in change.runs])
    holders |= _insert_second_keys(tx, change, holders, now)
    outcome = BackfillOutcome(accepted=True)
    created: list[tuple[Instant, int]] = []
    left_slots: list[Row] = []
    for run in change.runs:
        holder = holders.get(run.second_key) or holders.get(run.slot_key)
        if holder is None:
            raise _BackfillIdTaken(
                f"run {run.run_id!r} cannot be made: another run of this DAG has that run id and stands for another slot than "
                f"{iso(run.run_after)}; let generate_run_id of its timetable return a different run id for each slot and run type"
            )
        run_pk, run_id, _, _, state, backfill_pk = holder
        if backfill_pk == change.backfill_pk and run_id == run.run_id:
            outcome.created += 1
            created.append((run.run_after, run_pk))
            record_change(tx, RunChange(change.dag_pk, run_pk, state, run_id))
            continue
        kind = decide_existing(state, change.reprocess)
        outcome.left[kind] = outcome.left.get(kind, 0) + 1
        left_slots.append((change.backfill_pk, run_pk, run.run_after, kind))
    tx.many("backfill_runs.leave_slots", left_slots)
    record_change(tx, BackfillNews(change.dag_pk, change.backfill_pk, "advanced"))
    if outcome.created:
        tx.send_many("commit.tallies", [(change.dag_pk, RUN_STATE_CODES[DagRunState.QUEUED], outcome.created)])
        newest_runs.record_created(tx, change.dag_pk, created)
    return outcome


def decide_existing(state: int, reprocess: Reprocess) -> str:
    """What the backfill does with the run of a slot that is in this state."""
    if state < FIRST_FINAL_CODE:
        return IN_FLIGHT
    is_wanted = reprocess == "completed" or (reprocess == "failed" and state == RUN_STATE_CODES[DagRunState.FAILED])
    return TO_REPROCESS if is_wanted else ALREADY_EXISTS


def _insert_second_keys(
    tx: Transaction, change: BackfillChange, holders: dict[str, Row], now: Instant
) -> dict[str, Row]:
    """Insert slots whose logical date is also that of another slot (`PlannedRun.second_key`); returns their holders."""
    twins = [
        run
        for run in change.runs
        if (holder := holders.get(run.slot_key)) is not None
        and holder[2] in PLANNED_TYPES
        and holder[3] != run.run_after
    ]
    if not twins:
        return {}
    tx.many("backfill_runs.insert_runs", [_encode_run(change, run, run.second_key, now) for run in twins])
    return load_slot_states(tx, change.dag_pk, [run.second_key for run in twins])


def _encode_run(change: BackfillChange, run: PlannedRun, slot_key: str, now: Instant) -> Row:
    return (
        change.dag_pk,
        change.group_no,
        run.run_id,
        slot_key,
        DagRunType.BACKFILL.value,
        run.logical_at,
        run.interval_start,
        run.interval_end,
        run.run_after,
        change.version_pk,
        encode_json(change.conf),
        now,
        change.backfill_pk,
        run.partition_key,
        run.partition_date,
    )


def _advance(tx: Transaction, change: BackfillChange, slots: int, error: str | None) -> bool:
    return (
        tx.run(
            "backfill_runs.advance",
            backfill_pk=change.backfill_pk,
            position=encode_plan_state(change.position),
            is_planned=change.is_planned and error is None,
            is_windowed=change.is_windowed,
            slots=slots,
            first_run_after=change.runs[0].run_after if change.runs else None,
            error=error,
            believed_slots=change.believed_slots,
        )
        == 1
    )


def list_next_runs(tx: Transaction, backfill: BackfillRecord, limit: int) -> list[tuple[int, bool]]:
    """(run_pk, whether it must be cleared first) of the runs whose turn is next, in order; at most `limit`."""
    direction = "_backwards" if backfill.runs_backwards else ""
    next_runs = [
        (run_after, run_pk, is_cleared_first)
        for name, is_cleared_first in (("next_queued", False), ("next_to_reprocess", True))
        for run_pk, run_after in tx.all(
            f"backfill_runs.{name}{direction}", backfill_pk=backfill.backfill_pk, limit=limit
        )
    ]
    next_runs.sort(reverse=backfill.runs_backwards)
    return [(run_pk, is_cleared_first) for _, run_pk, is_cleared_first in next_runs[:limit]]


def write_reprocessed(tx: Transaction, runs: Iterable[RunRecord]) -> None:
    """Store that these runs, which a step cleared, belong to their backfills."""
    rows = [(run.run_pk, run.backfill_pk, run.run_type.value) for run in runs]
    tx.send_many("backfill_runs.reprocess", rows)
    tx.send_many("backfill_runs.mark_reprocessed", [(backfill_pk, run_pk) for run_pk, backfill_pk, _ in rows])


def leave_runs(tx: Transaction, backfill_pk: int, run_pks: Iterable[int]) -> None:
    """Leave runs that were to run again: those that were cleared meanwhile have not ended, the others were deleted."""
    for run_pk in run_pks:
        tx.run("backfill_runs.leave_run", backfill_pk=backfill_pk, run_pk=run_pk)
    tx.run("backfill_runs.forget_deleted", backfill_pk=backfill_pk)


def fail_queued_runs(tx: Transaction, backfill: BackfillRecord, reason: str, limit: int, now: Instant) -> list[Instant]:
    """End queued runs of a cancelled backfill that no scheduler has in memory; returns their slots, [] when none is left.

    Their waits for other DAGs are closed and their deadlines deleted, as at any end of a run.
    """
    rows = tx.all("backfill_runs.next_queued", backfill_pk=backfill.backfill_pk, limit=limit)
    tx.send_many("backfill_runs.fail_queued", [(run_pk, now, reason) for run_pk, _ in rows])
    if rows:
        tx.send_many("run_waits.close", [(run_pk, now) for run_pk, _ in rows])
        tx.send_many("run_callbacks.prune_deadlines", [(run_pk,) for run_pk, _ in rows])
        queued, failed = RUN_STATE_CODES[DagRunState.QUEUED], RUN_STATE_CODES[DagRunState.FAILED]
        tx.send_many("commit.tallies", [(backfill.dag_pk, queued, -len(rows)), (backfill.dag_pk, failed, len(rows))])
        newest_runs.refresh(tx, backfill.dag_pk)
        record_change(tx, *(RunChange(backfill.dag_pk, run_pk, failed) for run_pk, _ in rows))
    return [run_after for _, run_after in rows]


def end_backfill(tx: Transaction, backfill_pk: int, now: Instant) -> bool:
    """End the backfill if it has nothing left to do; returns whether it ended."""
    row = tx.one("backfill_runs.end", backfill_pk=backfill_pk, at=now)
    if row is not None:
        record_change(tx, BackfillNews(row[0], backfill_pk, "ended"))
    return row is not None
