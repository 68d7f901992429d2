"""The forecast of a DAG's coming runs; a timetable class of an author is called in a process of its own."""

from __future__ import annotations

from typing import Any

from gnomon.author_code.timetable_host import FORECAST, ask_and_wait, strip_for_planning
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.ground.config import Config
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import TimetableRef
from gnomon.queries.report import next_runs as report
from gnomon.rules.planning.forecast import Forecast
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records import dag_runs


def forecast_next_runs(
    cfg: Config, db: Database, dag: DagRecord, now: Instant, count: int, schedule: TimetableRef | None = None
) -> report.NextRuns:
    """The next `count` runs of a DAG if it is, or were, unpaused now; with `schedule`, if that were its timetable."""

    def ask(dag: DagRecord, ref: TimetableRef, arguments: dict[str, Any]) -> Forecast:
        forecast: Forecast = ask_and_wait(
            cfg,
            FORECAST,
            Forecast,
            timetable=ref,
            file=dag.file,
            answers=make_question_handler(cfg),
            **{**arguments, "dag": strip_for_planning(arguments["dag"])},
        )
        return forecast

    with db.read() as tx:
        request = report.build_request(tx, dag, now, count, cfg.number("scheduler", "misfire_grace"))
    forecast, due = report.answer_next_runs(request, ask, schedule)
    with db.read() as tx:
        return report.with_slot_holders(
            forecast, due, lambda slot_key: dag_runs.find_slot_holder(tx, dag.dag_pk, slot_key)
        )
