"""`gnomon dags next-runs`, and what `gnomon dags unpause` says before it happens."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from gnomon.cli.author_queries import make_question_handler
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_sentence, format_table, output_option, print_document
from gnomon.model.records import DagRecord
from gnomon.model.slots import TimetableRef
from gnomon.planning.forecast import Forecast
from gnomon.report import next_runs as report
from gnomon.report.listings.dag_list import find_dag
from gnomon.store import Database
from gnomon.store.dag_records import dag_runs
from gnomon.timetable_host import FORECAST, ask_and_wait, strip_for_planning

RUNS_SHOWN = 5
RUNS_MAX = 1000
STARTING_RUNS_SHOWN = 5
"""So many runs that start at once are named by `unpause`; the others are told as "and more"."""


@click.command("next-runs")
@click.argument("dag_id", metavar="DAG")
@click.option("--count", type=click.IntRange(1, RUNS_MAX), default=RUNS_SHOWN, show_default=True, help="So many runs.")
@click.option("--schedule", "instead", metavar="TARGET", help="As if this were its schedule: a cron text or a Python expression.")
@output_option
@pass_home
def next_runs(home: Home, dag_id: str, count: int, instead: str | None, output: str) -> None:
    """The runs that come next, each with its reason.

    For a paused DAG: what would run on unpausing. With --schedule: what a changed schedule does, before it is changed.
    """
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
        told = forecast_dag(home, db, dag, count, None if instead is None else _resolve_schedule(home, dag, instead))
    if output != "table":
        print_document(asdict(told), output)
        return
    if told.next_runs:
        covering = any(run["data_interval_start"] != run["data_interval_end"] for run in told.next_runs)
        spans = ("data_interval_start", "data_interval_end") if covering else ()
        click.echo(format_table(told.next_runs, ("run_after", *spans, "state", "why")))
    for at in told.dropped:
        click.echo(format_sentence(f"dropped: the run of the schedule before that was due at {at}"))
    for passed in told.passed:
        click.echo(format_sentence(f"passed: {report.describe_skipped_row(passed)}"))
    for note in told.notes:
        click.echo(format_sentence(note))


def forecast_dag(home: Home, db: Database, dag: DagRecord, count: int, instead: TimetableRef | None = None) -> report.NextRuns:
    """What comes of a DAG's schedule if it is let run now; an author's timetable is asked in a process of its own."""

    def ask(asked: DagRecord, ref: TimetableRef, arguments: dict[str, Any]) -> Forecast:
        found: Forecast = ask_and_wait(
            home.cfg, FORECAST, Forecast, timetable=ref, file=asked.file, answers=make_question_handler(home.cfg),
            **{**arguments, "dag": strip_for_planning(arguments["dag"])}
        )
        return found

    with db.read() as tx:
        asked = report.build_request(tx, dag, home.clock.now(), count, home.cfg.number("scheduler", "misfire_grace"))
    told, due = report.answer_next_runs(asked, ask, instead)
    with db.read() as tx:
        return report.with_slot_holders(told, due, lambda slot_key: dag_runs.find_slot_holder(tx, dag.dag_pk, slot_key))


def describe_unpausing(told: report.NextRuns) -> list[str]:
    """Sentences on what starts, and what is passed, in the moment in which the DAG is let run."""
    if told.blocked is not None:
        return [f"nothing runs: {told.blocked}"]
    now = [run for run in told.next_runs if run["state"] != "planned"]
    lines = [f"{run['run_id']} {_DOES[run['state'] or '']}: {run['why']}" for run in now[:STARTING_RUNS_SHOWN]]
    lines += ["and more"] if len(now) > STARTING_RUNS_SHOWN else []
    lines += [f"passed: {report.describe_skipped_row(passed)}" for passed in told.passed]
    following = [run for run in told.next_runs if run["state"] == "planned"]
    if not now and following:
        lines.append(f"nothing runs at once; the next run is due at {following[0]['run_after']}")
    return lines


_DOES = {"now": "runs at once", "held": "waits", "taken": "is not made"}


def _resolve_schedule(home: Home, dag: DagRecord, text: str) -> TimetableRef:
    from gnomon.cli.timetables.schedule_target import (
        resolve_schedule_target,  # evaluates expressions; few look ahead with another schedule
    )

    return resolve_schedule_target(home, text, dag.spec.timezone).ref
