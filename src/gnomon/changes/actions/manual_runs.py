"""`create_run`: a run by hand, for `gnomon dags trigger`, `gnomon assets materialize` and the API. The process itself writes the run (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.note_changes import add_run_note
from gnomon.changes.actions.run_conf import check_run_conf, list_conf_faults
from gnomon.ground.config import Config
from gnomon.ground.config.pattern_cost import is_linear
from gnomon.model.errors.product import UserError
from gnomon.model.ids import find_run_id_fault
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, say
from gnomon.model.slots import PlannedRun
from gnomon.model.states import DagRunType
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.rules.planning import PlanningError, Slot, find_manual_logical_date, find_slot_partition, with_slot_data
from gnomon.storage.store import Database, notify_on_commit
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dag_runs


class SlotNotFound(UserError):
    """The timetable of the DAG has no slot at that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run that a user wants. What is None is inferred: by the DAG's timetable, or from the current time."""

    dag_id: str
    run_id: str | None = None
    logical_at: Instant | None = None
    slot_at: Instant | None = None
    """The due time of the slot that the run takes the place of; excludes `logical_at`."""
    interval: tuple[Instant, Instant] | None = None
    run_after: Instant | None = None
    """When the run may start; None: now."""
    conf: dict[str, object] = field(default_factory=dict)
    partition_key: str | None = None
    run_type: DagRunType = DagRunType.MANUAL
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ManualSlot:
    """The slot of the DAG's timetable that a manual run stands for, if any."""

    logical_at: Instant | None
    slot: Slot | None = None
    """The slot with this logical date; None when the timetable has none."""
    doubt: str | None = None
    """Why the timetable cannot tell whether there is such a slot."""


@dataclass(frozen=True, slots=True)
class CreatedRun:
    """A run that was created."""

    dag: DagRecord
    run: RunRecord
    manual_slot: ManualSlot
    is_waited_for: bool
    """The user named a date, and other DAGs depend on the DAG: whether they wait for this run depends on its slot."""


def create_run(actor: Actor, db: Database, new: NewRun) -> CreatedRun:
    """Create the run and wake the services.

    Raises NameNotFound for an unknown DAG, RunExists, RunTypeNotAllowed, and UserError for everything else that prevents the run: the DAG
    was deleted, the conf does not fit its params, its timetable infers no data interval, the run id or the partition key is refused.
    """
    now = actor.clock.now()
    with db.read() as tx:
        dag = find_dag(tx, new.dag_id)
    _check_active(dag)
    check_run_conf(actor.cfg, dag.spec, new.conf)
    plan = _plan(actor, dag, new, now)
    manual_slot = plan.manual_slot
    with db.write() as tx:
        run = dag_runs.create_manual_run(
            tx,
            dag_id=new.dag_id,
            run_id=plan.run_id,
            logical_at=manual_slot.logical_at,
            run_after=plan.run_after,
            run_type=new.run_type,
            interval=plan.interval,
            conf=new.conf,
            by=actor.by,
            address=actor.address,
            at=now,
            stands_for=None if manual_slot.slot is None else manual_slot.slot.run_after,
            partition_key=plan.partition_key,
            partition_date=plan.partition_date,
        )
        if new.note:
            add_run_note(actor, tx, dag, run, new.note)
        notify_on_commit(tx)
        has_date = new.logical_at is not None or new.slot_at is not None
        is_waited_for = has_date and bool(dag_edges.list_edges_on(tx, new.dag_id))
    actor.wake_services()
    return CreatedRun(dag, run, manual_slot, is_waited_for)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run that a user wants would be."""

    manual_slot: ManualSlot
    run_id: str
    run_after: Instant
    interval: tuple[Instant | None, Instant | None]
    partition_key: str | None
    partition_date: Instant | None


@dataclass(frozen=True, slots=True)
class RunPreview:
    """A run that `create_run` would create, and what would become of it."""

    dag: DagRecord
    plan: RunPlan
    conf_faults: dict[str, str]
    """By name of the param: why the conf does not fit it."""
    taken_by: str | None
    """The run that has this run id or this logical date; with it the run is refused."""
    unfinished: int
    """Unfinished runs of the DAG other than those of backfills."""


def preview_run(actor: Actor, db: Database, new: NewRun) -> RunPreview:
    """The run that `create_run` would create now; nothing is changed.

    Raises as `create_run`, except that a conf that does not fit and a run that exists are part of the answer.
    """
    with db.read() as tx:
        dag = find_dag(tx, new.dag_id)
    _check_active(dag)
    dag_runs.check_run_type(dag.dag_id, dag.file, dag.spec, new.run_type)
    plan = _plan(actor, dag, new, actor.clock.now())
    logical_at = plan.manual_slot.logical_at
    with db.read() as tx:
        holder = None if logical_at is None else dag_runs.find_slot_holder(tx, dag.dag_pk, str(logical_at))
        same = dag_runs.find_stored_run(tx, dag.dag_id, plan.run_id)
        dag_runs.check_reserved_run_id(tx, dag.dag_pk, plan.run_id, new.run_type)
        unfinished = sum(
            run.run_type is not DagRunType.BACKFILL for run in dag_runs.list_unfinished_runs(tx, dag.dag_pk)
        )
    return RunPreview(
        dag,
        plan,
        list_conf_faults(actor.cfg, dag.spec, new.conf),
        holder or (None if same is None else same.run_id),
        unfinished,
    )


def _plan(actor: Actor, dag: DagRecord, new: NewRun, now: Instant) -> RunPlan:
    from gnomon.changes.actions.author_queries import (  # start-up cost: few commands need it
        plan_manual_run,
        resolve_manual_partition_date,
    )

    if new.run_id is not None:
        check_run_id(actor.cfg, new.run_id)
    partition_key, partition_date = new.partition_key, resolve_manual_partition_date(actor.cfg, dag, new.partition_key)
    manual_slot = _find_manual_slot(actor, dag, new, now)
    planned = plan_manual_run(actor.cfg, dag.spec, dag.file, manual_slot.logical_at, now)
    if new.slot_at is not None and manual_slot.slot is not None:
        planned = with_slot_data(planned, manual_slot.slot)
    if manual_slot.slot is not None and partition_key is None:
        partition_key, partition_date = find_slot_partition(dag.spec, manual_slot.slot.run_after)
    run_after = planned.run_after if new.run_after is None else new.run_after
    return RunPlan(
        manual_slot,
        new.run_id or _name_run(new.run_type, planned, run_after),
        run_after,
        new.interval or (planned.interval_start, planned.interval_end),
        partition_key,
        partition_date,
    )


def _name_run(run_type: DagRunType, planned: PlannedRun, run_after: Instant) -> str:
    """The id of a run for which the user gives none."""
    return planned.run_id if run_type is DagRunType.MANUAL else run_type.generate_run_id(iso(run_after) or "")


def check_run_id(cfg: Config, run_id: str) -> None:
    """Raise UserError for a text that cannot be a run id, or that [scheduler] allowed_run_id_pattern does not match."""
    from gnomon.author_code.timetable_host.param_checks import find_param_faults  # start-up cost: few commands need it

    fault = find_run_id_fault(run_id)
    if fault is not None:
        raise UserError(say("run_id_is_wrong", fault=fault))
    pattern = cfg.text("scheduler", "allowed_run_id_pattern")
    if is_linear(pattern):
        is_allowed = re.search(pattern, run_id) is not None
    else:
        is_allowed = not find_param_faults(cfg, {"run_id": {"pattern": pattern}}, {"run_id": run_id})
    if not is_allowed:
        raise UserError(say("run_id_does_not_match", name=repr(run_id), pattern=pattern))


def _find_manual_slot(actor: Actor, dag: DagRecord, new: NewRun, now: Instant) -> ManualSlot:
    if new.logical_at is not None:
        return _find_slot_of_date(actor, dag, new.logical_at)
    if new.slot_at is not None:
        return _find_slot_due(actor, dag, new.slot_at)
    return ManualSlot(find_manual_logical_date(dag.spec, now))


def _find_slot_of_date(actor: Actor, dag: DagRecord, logical_at: Instant) -> ManualSlot:
    from gnomon.changes.actions.author_queries import find_manual_slot

    try:
        return ManualSlot(logical_at, find_manual_slot(actor.cfg, dag, logical_at=logical_at))
    except PlanningError as error:
        return ManualSlot(logical_at, doubt=str(error))


def _find_slot_due(actor: Actor, dag: DagRecord, due_at: Instant) -> ManualSlot:
    """The slot due at that instant. Raises SlotNotFound when the timetable has none, UserError when it cannot tell."""
    from gnomon.changes.actions.author_queries import find_manual_slot

    try:
        slot = find_manual_slot(actor.cfg, dag, due_at=due_at)
    except PlanningError as error:
        raise UserError(say("slots_cannot_be_computed", dag=dag.dag_id, error=str(error))) from None
    if slot is None:
        preview = Command("timetables preview", (dag.dag_id,))
        raise SlotNotFound(say("dag_has_no_slot", dag=dag.dag_id, at=due_at, command=preview))
    return ManualSlot(slot.logical_at, slot)


def _check_active(dag: DagRecord) -> None:
    if not dag.active:
        raise UserError(say("deleted_dag_cannot_run", dag=dag.dag_id, file=dag.file))
