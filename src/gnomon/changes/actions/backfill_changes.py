"""Backfills: the check of a request, a preview of its slots, creating one, and pausing, continuing or cancelling one.

An action only writes the row of the backfill; the scheduler that owns the DAG creates the runs (REQUEST in
docs/contributing/ownership.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.author_queries import preview_backfill_slots
from gnomon.changes.actions.run_conf import check_run_conf
from gnomon.ground.config import Config
from gnomon.model.accounts import Author
from gnomon.model.backfills import ALREADY_EXISTS, IN_FLIGHT, MAX_SLOTS, TO_REPROCESS, BackfillRecord, Reprocess
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState, DagRunType
from gnomon.rules.decide.rerun_version import takes_newest_version
from gnomon.rules.planning import PlanningError
from gnomon.storage.store import Database, Transaction, notify_on_commit
from gnomon.storage.store.dag_records import backfills
from gnomon.storage.store.dag_records.dag_runs import check_run_type
from gnomon.storage.store.ownership.backfill_runs import decide_existing


class BackfillRefused(UserError):
    """The DAG or the range cannot be backfilled; the message says why."""


class BackfillEnded(UserError):
    """The backfill has ended or was cancelled: nothing of it can be changed."""


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    """A backfill that a user wants; the range is inclusive."""

    dag: DagRecord
    from_at: Instant
    to_at: Instant
    reprocess: Reprocess
    max_active_runs: int
    runs_backwards: bool
    conf: dict[str, object]
    is_newest_wanted: bool | None = None
    """What the request says about the version of runs that run again; None: their DAG says so."""


@dataclass(frozen=True, slots=True)
class FoundSlots:
    """The slots of the range in the order in which they run; `has_more`: an author's timetable has more of them than were asked for."""

    runs: list[PlannedRun]
    has_more: bool


@dataclass(frozen=True, slots=True)
class SlotPreview:
    """What a backfill would do with one slot. `run_id` and `state` are those of the run that the slot has; `state` is None without one."""

    slot: PlannedRun
    run_id: str
    state: DagRunState | None
    outcome: str | None
    """None: a run would be created; else a word of `model.backfills` (ALREADY_EXISTS, IN_FLIGHT, TO_REPROCESS)."""

    @property
    def is_run(self) -> bool:
        """A run would be created for the slot, or its run would run again."""
        return self.outcome not in (ALREADY_EXISTS, IN_FLIGHT)


class BackfillSwitch(Enum):
    """What a user does to a backfill that has not ended."""

    PAUSE = "paused"
    UNPAUSE = "unpaused"
    CANCEL = "cancelled"


def check_backfill(cfg: Config, request: BackfillRequest) -> None:
    """Raises UserError for a DAG that has no backfills, BackfillRefused for one without slots and for a range that cannot be backfilled."""
    dag, spec = request.dag, request.dag.spec
    if not dag.active:
        raise UserError(
            f"DAG {dag.dag_id!r} was deleted: no file defines it any more; restore {dag.file} to backfill it"
        )
    check_run_type(dag.dag_id, dag.file, spec, DagRunType.BACKFILL)
    reason = _find_no_times_reason(dag)
    if reason is not None:
        raise BackfillRefused(
            f"DAG {dag.dag_id!r} cannot be backfilled: {reason}; run it with: gnomon dags trigger {quote_argument(dag.dag_id)}"
        )
    if dag.dependency_error is not None:
        raise BackfillRefused(f"DAG {dag.dag_id!r} cannot be backfilled: {dag.dependency_error}")
    if request.from_at > request.to_at:
        raise BackfillRefused(
            f"the range from {iso(request.from_at)} to {iso(request.to_at)} ends before it begins; exchange the two dates"
        )
    _check_version(request)
    check_run_conf(cfg, spec, request.conf)
    depending = [task.task_id for task in spec.tasks if task.depends_on_past or task.wait_for_downstream]
    if request.runs_backwards and depending:
        raise BackfillRefused(
            f"DAG {dag.dag_id!r} cannot run backwards: task {depending[0]!r} depends on the run before (depends_on_past); run it forwards"
        )


def _check_version(request: BackfillRequest) -> None:
    """Raises BackfillRefused when existing runs shall have another version than their DAG says: a backfill does not store it."""
    wanted, dag = request.is_newest_wanted, request.dag
    if wanted is None or request.reprocess == "none" or wanted is takes_newest_version(None, dag.spec, default=True):
        return
    raise BackfillRefused(
        f"DAG {dag.dag_id!r} cannot be backfilled with run_on_latest_version={wanted}: the DAG decides about the version of existing runs; "
        f"set its rerun_with_latest_version={wanted}, or clear the runs with that choice"
    )


def find_slots(actor: Actor, request: BackfillRequest) -> FoundSlots:
    """The slots of the range. Raises BackfillRefused when there is none, when there are too many, or when the timetable fails."""
    dag, now = request.dag, actor.clock.now()
    span = f"from {iso(request.from_at)} to {iso(request.to_at)}"
    try:
        found = preview_backfill_slots(actor.cfg, dag, request.from_at, request.to_at, now)
    except PlanningError as error:
        raise BackfillRefused(f"the slots of DAG {dag.dag_id!r} cannot be computed: {error}") from None
    if found.error is not None:
        raise BackfillRefused(f"the slots of DAG {dag.dag_id!r} cannot be computed: {found.error}")
    see = f"see: gnomon timetables preview {quote_argument(dag.dag_id)}"
    if not found.runs:
        future = ", and the range begins in the future" if request.from_at > now else ""
        raise BackfillRefused(f"DAG {dag.dag_id!r} has no slot {span} that is over at {iso(now)}{future}; {see}")
    if len(found.runs) > MAX_SLOTS:
        raise BackfillRefused(
            f"DAG {dag.dag_id!r} has more than {MAX_SLOTS:,} slots {span}; choose shorter ranges, one backfill after the other"
        )
    return FoundSlots(list(reversed(found.runs)) if request.runs_backwards else list(found.runs), not found.is_complete)


def preview_slots(tx: Transaction, request: BackfillRequest, slots: FoundSlots) -> list[SlotPreview]:
    """What would become of each slot."""
    holders = backfills.load_slot_states(
        tx, request.dag.dag_pk, [key for run in slots.runs for key in (run.slot_key, run.second_key)]
    )
    previews = []
    for slot in slots.runs:
        holder = holders.get(slot.second_key) or holders.get(slot.slot_key)
        if holder is None:
            previews.append(SlotPreview(slot, slot.run_id, None, None))
        else:
            previews.append(
                SlotPreview(
                    slot, holder[1], RUN_STATES_BY_CODE[holder[4]], decide_existing(holder[4], request.reprocess)
                )
            )
    return previews


def create_backfill(actor: Actor, db: Database, request: BackfillRequest) -> BackfillRecord:
    """Store the backfill. Raises BackfillActive when the DAG has one that has not ended."""
    with db.write() as tx:
        made = backfills.create_backfill(
            tx,
            BackfillRecord(
                0,
                request.dag.dag_pk,
                request.dag.group_no,
                request.from_at,
                request.to_at,
                request.reprocess,
                request.max_active_runs,
                request.runs_backwards,
                request.conf,
                actor.clock.now(),
                actor.by,
            ),
            actor.address,
        )
        notify_on_commit(tx)
    actor.wake_services()
    return made


def change_backfill(actor: Actor, db: Database, dag_id: str, record: BackfillRecord, change: BackfillSwitch) -> bool:
    """Pause, continue or cancel the backfill; returns False when it is so already. Raises BackfillEnded."""
    if record.is_ended or record.cancelled_by is not None:
        end = (
            f"was cancelled by {record.cancelled_by}"
            if record.cancelled_by is not None
            else f"ended at {iso(record.ended_at)}"
        )
        raise BackfillEnded(
            f"backfill {record.backfill_pk} of DAG {dag_id!r} {end}; `gnomon backfill create` makes a new one"
        )
    author = Author(actor.by, actor.clock.now(), actor.address)
    with db.write() as tx:
        if change is BackfillSwitch.CANCEL:
            is_changed = backfills.cancel_backfill(tx, record, author)
        else:
            is_changed = backfills.set_backfill_paused(tx, record, change is BackfillSwitch.PAUSE, author)
        notify_on_commit(tx)
    actor.wake_services()
    return is_changed


def _find_no_times_reason(dag: DagRecord) -> str | None:
    """Why the timetable of the DAG has no sequence of slots; None when it has one."""
    ref = dag.spec.timetable
    if not ref.can_be_scheduled:
        return f"its schedule is {ref.summary or None}, which has no times"
    if ref.is_continuous:
        return f"its schedule {ref.summary} starts a run whenever the last one has ended, at no time of the clock"
    if ref.builtin_name == "OnceTimetable":
        return f"its schedule {ref.summary} is one run at no time of the clock"
    return (
        None
        if ref.periodic
        else f"its timetable {ref.path.rpartition('.')[2]} says periodic = False, so it has no sequence of slots"
    )


EFFECTS = {None: "create", ALREADY_EXISTS: "leave", IN_FLIGHT: "leave", TO_REPROCESS: "run again"}
"""What a backfill does with a slot, in words, by the outcome of a `SlotPreview`."""
