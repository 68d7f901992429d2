"""Backfills: a preview, creating, listing, pausing, continuing and cancelling them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.actions.backfill_changes import (
    EFFECTS,
    BackfillRequest,
    BackfillSwitch,
    FoundSlots,
    change_backfill,
    check_backfill,
    find_slots,
    preview_slots,
)
from gnomon.changes.actions.backfill_changes import create_backfill as store_backfill
from gnomon.changes.operations.given_values import check_instants
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.backfills import REPROCESS_CHOICES, BackfillRecord, Reprocess
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant, iso
from gnomon.model.sentences import say
from gnomon.queries.report.listings import backfill_list, process_health
from gnomon.queries.report.listings.backfill_list import BackfillRow
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import NameNotFound, backfill_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import backfills

LEFT_MAX = 1000


@dataclass(frozen=True, slots=True)
class BackfillSlotRow:
    """A slot, and what a backfill would do with it."""

    logical_date: str | None
    run_after: str | None
    run_id: str
    effect: str


@dataclass(frozen=True, slots=True)
class SlotListing:
    """The slots in the order in which they run; `has_more`: an author's timetable has more of them than were asked for."""

    slots: list[BackfillSlotRow]
    has_more: bool


@dataclass(frozen=True, slots=True)
class CreatedBackfill:
    """A new backfill, the number of its slots, and what keeps it from running for now."""

    backfill: BackfillRow
    slot_count: int
    has_more: bool
    dag_paused: bool
    is_scheduler_alive: bool


@dataclass(frozen=True, slots=True)
class LeftSlot:
    """A slot whose run a backfill leaves as it is."""

    at: str | None
    outcome: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class ShownBackfill:
    """A backfill, and the first of the slots that it left."""

    backfill: BackfillRow
    left: list[LeftSlot]


@dataclass(frozen=True, slots=True)
class BackfillProgress:
    """A backfill that a command follows. `is_planned`: all its slots are known."""

    backfill: BackfillRow
    is_planned: bool
    is_ended: bool


@dataclass(frozen=True, slots=True)
class SwitchedBackfill:
    """A backfill after a switch; `is_changed` is False when it was so already."""

    dag_id: str
    is_changed: bool


@operation("backfills.preview", "create", "backfill")
def preview_backfill(
    scope: OperationScope,
    dag_id: str,
    from_at: int,
    to_at: int,
    reprocess: str = "none",
    max_active_runs: int = 10,
    runs_backwards: bool = False,
    conf: dict[str, object] | None = None,
    is_newest_wanted: bool | None = None,
) -> SlotListing:
    """The slots from one instant to another, both included, and what would become of each. Nothing is changed."""
    request, slots = _find_slots(
        scope, dag_id, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, is_newest_wanted
    )
    with scope.db.read() as tx:
        previews = preview_slots(tx, request, slots)
    rows = [
        BackfillSlotRow(
            iso(preview.slot.logical_at),
            iso(preview.slot.run_after),
            preview.run_id,
            EFFECTS[preview.outcome] + ("" if preview.state is None else f" ({preview.state})"),
        )
        for preview in previews
    ]
    return SlotListing(rows, slots.has_more)


@operation("backfills.create", "create", "backfill")
def create_backfill(
    scope: OperationScope,
    dag_id: str,
    from_at: int,
    to_at: int,
    reprocess: str = "none",
    max_active_runs: int = 10,
    runs_backwards: bool = False,
    conf: dict[str, object] | None = None,
    is_newest_wanted: bool | None = None,
) -> CreatedBackfill:
    """Create runs for the slots from one instant to another, both included."""
    request, slots = _find_slots(
        scope, dag_id, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, is_newest_wanted
    )
    created = store_backfill(scope.actor, scope.db, request)
    with scope.db.read() as tx:
        row = _build_row(scope, tx, request.dag.dag_id, created)
        return CreatedBackfill(
            row, len(slots.runs), slots.has_more, request.dag.paused, process_health.is_scheduler_alive(tx)
        )


@operation("backfills.list", "read", "backfill")
def list_backfills(scope: OperationScope, dag_id: str) -> list[BackfillRow]:
    """The backfills of a DAG, newest first."""
    with scope.db.read() as tx:
        find_dag(tx, dag_id)
        return scope.hide_names(tx, backfill_list.list_backfills(tx, dag_id), "error")


@operation("backfills.list_all", "read", "backfill")
def list_all_backfills(scope: OperationScope) -> list[BackfillRow]:
    """The backfills of all DAGs, newest first."""
    with scope.db.read() as tx:
        return scope.hide_names(tx, scope.select(tx, backfill_list.list_backfills(tx), lambda row: row.dag_id), "error")


@operation("backfills.show", "read", "backfill")
def show_backfill(scope: OperationScope, backfill_id: int, most_left: int = 20) -> ShownBackfill:
    """A backfill, and at most `most_left` of the slots whose runs it left as they are."""
    with scope.db.read() as tx:
        dag_id, record = _find(scope, tx, backfill_id, Role.VIEWER)
        row = _build_row(scope, tx, dag_id, record)
        left_runs = backfills.list_left_runs(tx, backfill_id, min(max(most_left, 0), LEFT_MAX))
    return ShownBackfill(row, [LeftSlot(iso(at), outcome, run_id) for at, outcome, run_id in left_runs])


@operation("backfills.progress", "read", "backfill")
def read_backfill_progress(scope: OperationScope, backfill_id: int) -> BackfillProgress | None:
    """A backfill that a command follows; None when it was deleted."""
    with scope.db.read() as tx:
        try:
            dag_id, record = _find(scope, tx, backfill_id, Role.VIEWER)
        except NameNotFound:
            return None
        return BackfillProgress(_build_row(scope, tx, dag_id, record), record.is_planned, record.is_ended)


@operation("backfills.switch", "edit", "backfill")
def switch_backfill(scope: OperationScope, backfill_id: int, switch: str) -> SwitchedBackfill:
    """Pause, continue or cancel a backfill: `switch` is paused, unpaused or cancelled."""
    if switch not in [member.value for member in BackfillSwitch]:
        raise UserError(say("backfill_cannot_be_switched", state=switch))
    with scope.db.read() as tx:
        dag_id, record = _find(scope, tx, backfill_id, Role.USER)
    return SwitchedBackfill(dag_id, change_backfill(scope.actor, scope.db, dag_id, record, BackfillSwitch(switch)))


def _build_row(scope: OperationScope, tx: Transaction, dag_id: str, record: BackfillRecord) -> BackfillRow:
    (row,) = scope.hide_names(tx, backfill_list.build_backfill_rows(tx, [(dag_id, record)]), "error")
    return row


def _find_slots(
    scope: OperationScope,
    dag_id: str,
    from_at: Instant,
    to_at: Instant,
    reprocess: str,
    max_active_runs: int,
    runs_backwards: bool,
    conf: dict[str, object] | None,
    is_newest_wanted: bool | None,
) -> tuple[BackfillRequest, FoundSlots]:
    check_instants(from_at, to_at)
    chosen: dict[str, Reprocess] = {choice: choice for choice in REPROCESS_CHOICES}
    if reprocess not in chosen or max_active_runs < 1:
        raise UserError(say("backfill_lacks_limit_or_choice", options=", ".join(REPROCESS_CHOICES)))
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
    request = BackfillRequest(
        dag, from_at, to_at, chosen[reprocess], max_active_runs, runs_backwards, conf or {}, is_newest_wanted
    )
    check_backfill(scope.actor.cfg, request)
    return request, find_slots(scope.actor, request)


def _find(scope: OperationScope, tx: Transaction, backfill_id: int, role: Role) -> tuple[str, BackfillRecord]:
    """The id of the DAG and the backfill. Raises NameNotFound, also for one of a hidden DAG, which the sentence must not tell apart."""
    try:
        dag_id, record = backfill_list.find_backfill(tx, backfill_id)
    except NameNotFound:
        if scope.dags.sees_all(tx):
            raise
        raise backfill_not_found(backfill_id) from None
    if not scope.dags.has_role(tx, dag_id, Role.VIEWER):
        raise backfill_not_found(backfill_id)
    scope.dags.require_role(tx, dag_id, role)
    return dag_id, record
