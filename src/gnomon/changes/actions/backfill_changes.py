"""Backfills: the check of a request, a preview of its slots, creating one, and pausing, continuing or cancelling one.

An action only writes the row of the backfill; the scheduler that owns the DAG creates the runs (REQUEST in
docs/contributing/ownership.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.author_queries import preview_backfill_slots
from gnomon.changes.actions.refusals import BackfillEnded, BackfillRefused
from gnomon.changes.actions.run_conf import check_run_conf
from gnomon.ground.config import Config
from gnomon.model.accounts import Author
from gnomon.model.backfills import ALREADY_EXISTS, IN_FLIGHT, MAX_SLOTS, TO_REPROCESS, BackfillRecord, Reprocess
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import ArgumentValue, Command, Sentence, quote, say
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState, DagRunType
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.decide.rerun_version import takes_newest_version
from gnomon.rules.planning import PlanningError
from gnomon.storage.store import Database, Transaction, notify_on_commit
from gnomon.storage.store.dag_records import backfills
from gnomon.storage.store.dag_records.dag_runs import check_run_type
from gnomon.storage.store.ownership.backfill_runs import decide_existing


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
        raise UserError(say("deleted_dag_cannot_be_backfilled", dag=dag.dag_id, file=dag.file))
    check_run_type(dag.dag_id, dag.file, spec, DagRunType.BACKFILL)
    reason = _find_no_times_reason(dag)
    if reason is not None:
        trigger = Command("dags trigger", (dag.dag_id,))
        raise BackfillRefused(say("dag_has_no_times", dag=dag.dag_id, why=reason, command=trigger))
    if dag.dependency_error is not None:
        raise BackfillRefused(say("dag_cannot_be_backfilled", dag=dag.dag_id, error=dag.dependency_error))
    if request.from_at > request.to_at:
        raise BackfillRefused(say("range_ends_before_it_begins", since=request.from_at, until=request.to_at))
    _check_version(request)
    check_run_conf(cfg, spec, request.conf)
    depending = [task.task_id for task in spec.tasks if task.depends_on_past or task.wait_for_downstream]
    if request.runs_backwards and depending:
        raise BackfillRefused(say("dag_cannot_run_backwards", dag=dag.dag_id, task_id=depending[0]))


def _check_version(request: BackfillRequest) -> None:
    """Raises BackfillRefused when existing runs shall have another version than their DAG says: a backfill does not store it."""
    is_newest_wanted, dag = request.is_newest_wanted, request.dag
    if (
        is_newest_wanted is None
        or request.reprocess == "none"
        or is_newest_wanted is takes_newest_version(None, dag.spec, default=True)
    ):
        return
    raise BackfillRefused(say("dag_decides_about_version", dag=dag.dag_id, option=str(is_newest_wanted)))


def find_slots(actor: Actor, request: BackfillRequest) -> FoundSlots:
    """The slots of the range. Raises BackfillRefused when there is none, when there are too many, or when the timetable fails."""
    dag, now = request.dag, actor.clock.now()
    since, until, preview = request.from_at, request.to_at, Command("timetables preview", (dag.dag_id,))
    try:
        slot_preview = preview_backfill_slots(actor.cfg, dag, request.from_at, request.to_at, now)
    except PlanningError as error:
        raise BackfillRefused(say("slots_cannot_be_computed", dag=dag.dag_id, error=str(error))) from None
    if slot_preview.error is not None:
        raise BackfillRefused(say("slots_cannot_be_computed", dag=dag.dag_id, error=slot_preview.error))
    if not slot_preview.runs:
        future = say("range_begins_in_the_future") if since > now else None
        raise BackfillRefused(
            say("range_has_no_slot", dag=dag.dag_id, since=since, until=until, at=now, future=future, command=preview)
        )
    if len(slot_preview.runs) > MAX_SLOTS:
        raise BackfillRefused(
            say("range_has_too_many_slots", dag=dag.dag_id, number=f"{MAX_SLOTS:,}", since=since, until=until)
        )
    return FoundSlots(
        list(reversed(slot_preview.runs)) if request.runs_backwards else list(slot_preview.runs),
        not slot_preview.is_complete,
    )


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
        created = backfills.create_backfill(
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
    return created


def change_backfill(actor: Actor, db: Database, dag_id: str, record: BackfillRecord, change: BackfillSwitch) -> bool:
    """Pause, continue or cancel the backfill; returns False when it is so already. Raises BackfillEnded."""
    if record.is_ended or record.cancelled_by is not None:
        facts: dict[str, ArgumentValue] = {
            "backfill": record.backfill_pk,
            "dag": dag_id,
            "command": Command("backfill create"),
        }
        if record.cancelled_by is not None:
            raise BackfillEnded(say("backfill_was_cancelled", by=record.cancelled_by, **facts))
        raise BackfillEnded(say("backfill_has_ended", at=record.ended_at, **facts))
    author = Author(actor.by, actor.clock.now(), actor.address)
    with db.write() as tx:
        if change is BackfillSwitch.CANCEL:
            is_changed = backfills.cancel_backfill(tx, record, author)
        else:
            is_changed = backfills.set_backfill_paused(tx, record, change is BackfillSwitch.PAUSE, author)
        notify_on_commit(tx)
    actor.wake_services()
    return is_changed


def _find_no_times_reason(dag: DagRecord) -> Sentence | None:
    """Why the timetable of the DAG has no sequence of slots; None when it has one."""
    ref = dag.spec.timetable
    if not ref.can_be_scheduled:
        return say("schedule_has_no_times", schedule=summarize_schedule(dag.spec))
    if ref.is_continuous:
        return say("schedule_follows_runs", schedule=summarize_schedule(dag.spec))
    if ref.builtin_name == "OnceTimetable":
        return say("schedule_is_one_run", schedule=summarize_schedule(dag.spec))
    return None if ref.periodic else say("timetable_is_not_periodic", schedule=quote(ref.class_name))


EFFECTS = {None: "create", ALREADY_EXISTS: "leave", IN_FLIGHT: "leave", TO_REPROCESS: "run again"}
"""What a backfill does with a slot, in words, by the outcome of a `SlotPreview`."""
