"""Backfills as listings print them: their state, and how many of their slots have which end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.backfills import ALREADY_EXISTS, IN_FLIGHT, TO_REPROCESS, BackfillRecord
from gnomon.model.instants import iso
from gnomon.model.states import DagRunState
from gnomon.queries.report.listings.audit_list import hide_in_value
from gnomon.queries.report.listings.not_found import backfill_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import backfills


@dataclass(frozen=True, slots=True)
class BackfillRow:
    """A backfill; `backfill_id` is `id` in Airflow's REST API."""

    backfill_id: int
    dag_id: str
    state: str
    """planning | running | paused | cancelled | complete; planning: its slots are still being found."""
    from_date: str | None
    to_date: str | None
    reprocess_behavior: str
    max_active_runs: int
    run_backwards: bool
    dag_run_conf: dict[str, object]
    slots: int
    """Slots found so far; all of them once the state is no longer planning."""
    success: int
    failed: int
    running: int
    queued: int
    """Slots whose run has not started: queued runs, and runs that are still to be run again."""
    left: int
    """Slots whose run the backfill leaves as it is."""
    created_at: str | None
    completed_at: str | None
    created_by: str
    error: str | None

    @property
    def finished(self) -> int:
        """Slots that need nothing more."""
        return self.success + self.failed + self.left

    def describe_progress(self) -> str:
        """`12 of 24 slots finished: 10 success, 1 failed, 1 left as they were; 2 running, 10 queued`."""
        counts = [
            f"{count} {word}"
            for count, word in ((self.success, "success"), (self.failed, "failed"), (self.left, "left as they were"))
            if count
        ]
        rest = [f"{count} {word}" for count, word in ((self.running, "running"), (self.queued, "queued")) if count]
        sentence = f"{self.finished} of {self.slots} slots finished" + (f": {', '.join(counts)}" if counts else "")
        return sentence + (f"; {', '.join(rest)}" if rest else "")


def list_backfills(tx: Transaction, dag_id: str | None = None) -> list[BackfillRow]:
    """All backfills, or those of one DAG, newest first."""
    records = backfills.list_backfills(tx) if dag_id is None else backfills.list_backfills_of_dag(tx, dag_id)
    return build_backfill_rows(tx, records)


def find_backfill(tx: Transaction, backfill_pk: int) -> tuple[str, BackfillRecord]:
    """The id of the DAG and the backfill. Raises NameNotFound when there is none."""
    named_record = backfills.find_named_backfill(tx, backfill_pk)
    if named_record is not None:
        return named_record
    backfill_ids = [str(record.backfill_pk) for _, record in backfills.list_backfills(tx)]
    raise backfill_not_found(backfill_pk, backfill_ids)


def build_backfill_rows(tx: Transaction, named: Sequence[tuple[str, BackfillRecord]]) -> list[BackfillRow]:
    """The listing records of backfills, each given with the id of its DAG, with their numbers as the store has them now."""
    backfill_pks = [record.backfill_pk for _, record in named]
    runs, slots = backfills.count_backfill_runs(tx, backfill_pks), backfills.count_backfill_slots(tx, backfill_pks)
    return [_build_row(dag_id, record, runs[record.backfill_pk], slots[record.backfill_pk]) for dag_id, record in named]


def _build_row(
    dag_id: str, record: BackfillRecord, runs: Mapping[DagRunState, int], slots: Mapping[str, int]
) -> BackfillRow:
    success, failed, running = (
        runs.get(state, 0) for state in (DagRunState.SUCCESS, DagRunState.FAILED, DagRunState.RUNNING)
    )
    remaining = slots.get(ALREADY_EXISTS, 0) + slots.get(IN_FLIGHT, 0)
    return BackfillRow(
        backfill_id=record.backfill_pk,
        dag_id=dag_id,
        state=name_backfill_state(record),
        from_date=iso(record.from_at),
        to_date=iso(record.to_at),
        reprocess_behavior=record.reprocess,
        max_active_runs=record.max_active_runs,
        run_backwards=record.runs_backwards,
        dag_run_conf=hide_in_value(record.conf, hide_uri_passwords),
        slots=record.slot_count,
        success=success,
        failed=failed,
        running=running,
        queued=runs.get(DagRunState.QUEUED, 0) + slots.get(TO_REPROCESS, 0),
        left=remaining,
        created_at=iso(record.created_at),
        completed_at=iso(record.ended_at),
        created_by=record.created_by,
        error=record.error,
    )


def name_backfill_state(record: BackfillRecord) -> str:
    """The state of a backfill in one word; see `BackfillRow.state`."""
    if record.cancelled_by is not None:
        return "cancelled"
    if record.is_ended:
        return "complete"
    if record.paused:
        return "paused"
    return "running" if record.is_planned else "planning"
