"""What author code asks while a command asks it: a Variable of this home."""

from __future__ import annotations

from typing import Any

from gnomon.config import Config
from gnomon.dependencies.shape import find_slotless_reason
from gnomon.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.planning import PlanningError, Slot, find_slot_by_due_time, find_slot_by_logical_date, infer_manual_run
from gnomon.processes.task_api_messages import TaskApiHandler
from gnomon.store import DatabaseNotInitialised, load_cipher, open_database
from gnomon.taskapi import answer_task
from gnomon.timetable_host import COMING_RUNS, ask_and_wait, strip_for_planning
from gnomon.timetables.registry import build


def make_question_handler(cfg: Config) -> TaskApiHandler:
    """Answers from the home's database, which is opened for each question: few ask any."""
    def answered(question: AnyTaskApiRequest) -> object:
        try:
            db = open_database(cfg.database_url, cipher=load_cipher(cfg))
        except DatabaseNotInitialised:
            return None  # a home without a database has no Variables
        try:
            return answer_task(db, None, question)
        finally:
            db.close()

    return answered


def forecast_author_runs(cfg: Config, dag: DagRecord, now: Instant, count: int) -> list[PlannedRun]:
    """The DAG's next runs. Raises PlanningError."""
    found: list[PlannedRun] = ask_and_wait(
        cfg, COMING_RUNS, list[PlannedRun], timetable=dag.spec.timetable, file=dag.file, dag=strip_for_planning(dag.spec), cursor=dag.cursor,
        now=now, count=count, answers=make_question_handler(cfg),
    )
    return found


_MANUAL = "gnomon.planning:build_manual_run"
_NAMED = "gnomon.planning:find_slot_by_logical_date"
_DUE = "gnomon.planning:find_slot_by_due_time"


def plan_manual_run(cfg: Config, spec: DagSpec, file: str, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """Due now, about the data that its timetable infers from the logical date, or else from now.

    `file`: the DAG's; an author's class is asked in a process of its own.
    """
    try:
        if spec.timetable.builtin:
            return infer_manual_run(spec, logical_at=logical_at, now=now)
        found: PlannedRun = ask_and_wait(
            cfg, _MANUAL, PlannedRun, timetable=spec.timetable, file=file, logical_at=logical_at, now=now,
            answers=make_question_handler(cfg),
        )
    except PlanningError as error:
        raise UserError(f"DAG {spec.dag_id!r} gives a run by hand no data interval: {error}") from None
    return found


def find_manual_slot(cfg: Config, dag: DagRecord, *, logical_at: Instant | None = None, due_at: Instant | None = None) -> Slot | None:
    """The slot of the DAG that has this logical date, or is due at this instant, made or not; None when there is none.

    Raises PlanningError when its timetable does not say; an author's class is asked in a process of its own.
    """
    ref = dag.spec.timetable
    if find_slotless_reason(ref) is not None:
        return None
    question, name = (find_slot_by_logical_date, _NAMED) if logical_at is not None else (find_slot_by_due_time, _DUE)
    asked: dict[str, Any] = {"logical_at": logical_at} if logical_at is not None else {"at": due_at}
    asked |= {"earliest": dag.spec.start_at, "latest": dag.spec.end_at, "cursor": dag.cursor}
    if ref.builtin:
        return question(timetable=build(ref), **asked)
    found: Slot | None = ask_and_wait(cfg, name, Slot | None, timetable=ref, file=dag.file, answers=make_question_handler(cfg), **asked)
    return found
