"""The run that a person makes by hand."""

from __future__ import annotations

from gnomon.cli.answers import stored_answers
from gnomon.config import Config
from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.planning import PlanningError, infer_manual
from gnomon.userhost import ask_now

_MANUAL = "gnomon.planning:manual_run"


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
