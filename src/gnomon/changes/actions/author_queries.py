"""Questions of commands to timetables (coming runs, manual runs, slots), and the answers to questions of author code.

A built-in timetable is called in this process. A timetable class of an author is called in a process of its own
(`gnomon.author_code.timetable_host`), which may read Variables of the home while it answers.
"""

from __future__ import annotations

from typing import Any

from gnomon.author_code.processes.task_api_messages import TaskApiHandler
from gnomon.author_code.timetable_host import (
    BACKFILL_SLOTS,
    COMING_RUNS,
    PARTITION_ANSWERS,
    PARTITION_DATE,
    ask_and_wait,
    strip_for_planning,
)
from gnomon.ground.config import Config
from gnomon.model.backfills import MAX_SLOTS
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import say
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.queries.taskapi import answer_task
from gnomon.rules.assets.leaf_mappers import PartitionAnswers, list_rule_classes
from gnomon.rules.dependencies.shape import find_slotless_reason
from gnomon.rules.planning import (
    PlanningError,
    Slot,
    find_slot_by_due_time,
    find_slot_by_logical_date,
    infer_manual_run,
    resolve_partition_date,
)
from gnomon.rules.planning.backfill_slots import BackfillSlots, find_backfill_slots
from gnomon.rules.timetables.registry import build
from gnomon.storage.store import Database, DatabaseNotInitialised, load_cipher, open_database
from gnomon.storage.store.asset_records.partition_runs import read_partition_question


def make_question_handler(cfg: Config) -> TaskApiHandler:
    """A handler that answers author code from the home's database, which it opens for each question: questions are rare."""

    def answer(question: AnyTaskApiRequest) -> object:
        try:
            db = open_database(cfg.database_url, cipher=load_cipher(cfg))
        except DatabaseNotInitialised:
            return None  # a home without a database has no Variables
        try:
            return answer_task(db, None, question)
        finally:
            db.close()

    return answer


def forecast_author_runs(cfg: Config, dag: DagRecord, now: Instant, count: int) -> list[PlannedRun]:
    """The next `count` runs of a DAG whose timetable is an author's class. Raises PlanningError when the timetable fails."""
    runs: list[PlannedRun] = ask_and_wait(
        cfg,
        COMING_RUNS,
        list[PlannedRun],
        timetable=dag.spec.timetable,
        file=dag.file,
        dag=strip_for_planning(dag.spec),
        cursor=dag.cursor,
        now=now,
        count=count,
        answers=make_question_handler(cfg),
    )
    return runs


def ask_partition_mappers(cfg: Config, db: Database, dag: DagRecord) -> PartitionAnswers | PlanningError | None:
    """What the partition mappers of an author say about the queue of the DAG, or why they say nothing; None for a DAG without such a mapper."""
    classes = tuple(list_rule_classes(dag.spec.partition_rules))
    if not classes:
        return None
    with db.read() as tx:
        question = read_partition_question(
            tx, dag.dag_pk, cfg.integer("scheduler", "partition_mapper_max_downstream_keys")
        )
    try:
        answers: PartitionAnswers = ask_and_wait(
            cfg,
            PARTITION_ANSWERS,
            PartitionAnswers,
            file=dag.file,
            classes=classes,
            answers=make_question_handler(cfg),
            rules=dag.spec.partition_rules,
            condition=dag.spec.asset_condition,
            question=question,
            dag_file=dag.file,
        )
    except PlanningError as error:
        return error
    return answers


def resolve_manual_partition_date(cfg: Config, dag: DagRecord, key: str | None) -> Instant | None:
    """The date that the partition key of a manual run names; None when it names none. Raises UserError for a key that is refused."""
    classes = tuple(list_rule_classes(dag.spec.partition_rules))
    date = resolve_partition_date(dag.spec, key)
    if key is None or not classes:
        return date
    try:
        key_date: Instant | None = ask_and_wait(
            cfg,
            PARTITION_DATE,
            Instant | None,
            file=dag.file,
            classes=classes,
            answers=make_question_handler(cfg),
            dag=strip_for_planning(dag.spec),
            key=key,
            dag_file=dag.file,
        )
    except PlanningError as error:
        raise UserError(say("run_cannot_have_partition_key", dag=dag.dag_id, name=key, error=str(error))) from None
    return key_date


AUTHOR_SLOTS_MAX = 1000
"""Most slots of an author's timetable that a command looks at; the scheduler finds the others."""


def preview_backfill_slots(cfg: Config, dag: DagRecord, start: Instant, end: Instant, now: Instant) -> BackfillSlots:
    """The slots that a backfill of the DAG from `start` to `end` would have: one more than MAX_SLOTS at most.

    Of an author's timetable at most AUTHOR_SLOTS_MAX. Raises PlanningError when the timetable hangs or ends its process.
    """
    ref = dag.spec.timetable
    arguments: dict[str, Any] = {
        "start": start,
        "end": end,
        "due_by": now,
        "earliest": dag.spec.start_at,
        "cursor": dag.cursor,
        "limit": MAX_SLOTS + 1 if ref.builtin else AUTHOR_SLOTS_MAX,
    }
    if ref.builtin:
        return find_backfill_slots(timetable=build(ref), **arguments)
    slots: BackfillSlots = ask_and_wait(
        cfg,
        BACKFILL_SLOTS,
        BackfillSlots,
        timetable=ref,
        file=dag.file,
        answers=make_question_handler(cfg),
        **arguments,
    )
    return slots


_MANUAL = "gnomon.rules.planning:build_manual_run"
_NAMED = "gnomon.rules.planning:find_slot_by_logical_date"
_DUE = "gnomon.rules.planning:find_slot_by_due_time"


def plan_manual_run(cfg: Config, spec: DagSpec, file: str, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """A manual run that is due now. The timetable infers its data interval from the logical date, or from now without one.

    `file`: the file of the DAG. Raises UserError when the timetable cannot infer a data interval.
    """
    try:
        if spec.timetable.builtin:
            return infer_manual_run(spec, logical_at=logical_at, now=now)
        planned: PlannedRun = ask_and_wait(
            cfg,
            _MANUAL,
            PlannedRun,
            timetable=spec.timetable,
            file=file,
            logical_at=logical_at,
            now=now,
            answers=make_question_handler(cfg),
        )
    except PlanningError as error:
        raise UserError(say("timetable_infers_no_interval", dag=spec.dag_id, error=str(error))) from None
    return planned


def find_manual_slot(
    cfg: Config, dag: DagRecord, *, logical_at: Instant | None = None, due_at: Instant | None = None
) -> Slot | None:
    """The slot of the DAG with this logical date, or due at this instant, with or without a run; None when there is none.

    Give `logical_at` or `due_at`. Raises PlanningError when the timetable cannot tell.
    """
    ref = dag.spec.timetable
    if find_slotless_reason(ref) is not None:
        return None
    find_slot, name = (find_slot_by_logical_date, _NAMED) if logical_at is not None else (find_slot_by_due_time, _DUE)
    arguments: dict[str, Any] = {"logical_at": logical_at} if logical_at is not None else {"at": due_at}
    arguments |= {"earliest": dag.spec.start_at, "latest": dag.spec.end_at, "cursor": dag.cursor}
    if ref.builtin:
        return find_slot(timetable=build(ref), **arguments)
    slot: Slot | None = ask_and_wait(
        cfg, name, Slot | None, timetable=ref, file=dag.file, answers=make_question_handler(cfg), **arguments
    )
    return slot
