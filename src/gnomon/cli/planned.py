"""The run that a person makes by hand."""

from __future__ import annotations

from typing import Any

from gnomon.cli.answers import stored_answers
from gnomon.config import Config
from gnomon.dependencies.shape import slotless
from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.planning import PlanningError, Slot, infer_manual, slot_due, slot_named
from gnomon.timetables.registry import build
from gnomon.userhost import ask_now

_MANUAL = "gnomon.planning:manual_run"
_NAMED = "gnomon.planning:slot_named"
_DUE = "gnomon.planning:slot_due"


def planned_by_hand(cfg: Config, spec: DagSpec, file: str, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """Due now, about the data that its timetable infers from the logical date, or else from now.

    `file`: the DAG's; an author's class is asked in a process of its own.
    """
    try:
        if spec.timetable.builtin:
            return infer_manual(spec, logical_at=logical_at, now=now)
        found: PlannedRun = ask_now(
            cfg, _MANUAL, PlannedRun, timetable=spec.timetable, file=file, logical_at=logical_at, now=now,
            answers=stored_answers(cfg),
        )
    except PlanningError as error:
        raise UserMistake(f"DAG {spec.dag_id!r} gives a run by hand no data interval: {error}") from None
    return found


def slot_by_hand(cfg: Config, dag: DagRecord, *, logical_at: Instant | None = None, due_at: Instant | None = None) -> Slot | None:
    """The slot of the DAG that has this logical date, or is due at this instant, made or not; None when there is none.

    Raises PlanningError when its timetable does not say; an author's class is asked in a process of its own.
    """
    ref = dag.spec.timetable
    if slotless(ref) is not None:
        return None
    question, name = (slot_named, _NAMED) if logical_at is not None else (slot_due, _DUE)
    asked: dict[str, Any] = {"logical_at": logical_at} if logical_at is not None else {"at": due_at}
    asked |= {"earliest": dag.spec.start_at, "latest": dag.spec.end_at, "cursor": dag.cursor}
    if ref.builtin:
        return question(timetable=build(ref), **asked)
    found: Slot | None = ask_now(cfg, name, Slot | None, timetable=ref, file=dag.file, answers=stored_answers(cfg), **asked)
    return found
