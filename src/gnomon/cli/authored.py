"""What a command asks an author's timetable: in a process of its own, under the limits of the home."""

from __future__ import annotations

from gnomon.cli.answers import stored_answers
from gnomon.config import Config
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun
from gnomon.userhost import COMING, ask_now, bare


def coming_of_author(cfg: Config, dag: DagRecord, now: Instant, count: int) -> list[PlannedRun]:
    """The DAG's next runs. Raises PlanningError."""
    found: list[PlannedRun] = ask_now(
        cfg, COMING, list[PlannedRun], timetable=dag.spec.timetable, file=dag.file, dag=bare(dag.spec), cursor=dag.cursor,
        now=now, count=count, answers=stored_answers(cfg),
    )
    return found
