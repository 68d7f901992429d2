"""`gnomon dags next-runs`, and what `gnomon dags unpause` says before it happens."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from gnomon.cli.answers import stored_answers
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, output_option, sentence, table
from gnomon.model.records import DagRecord
from gnomon.model.slots import TimetableRef
from gnomon.planning.coming import Forecast
from gnomon.report import coming as report
from gnomon.report.dags import find_dag
from gnomon.store import Database, runs
from gnomon.userhost import FORECAST, ask_now, bare

COUNT = 5
COUNT_MOST = 1000
AT_ONCE = 5
"""So many runs that start at once are named by `unpause`; the others are told as "and more"."""


@click.command("next-runs")
@click.argument("dag_id", metavar="DAG")
@click.option("--count", type=click.IntRange(1, COUNT_MOST), default=COUNT, show_default=True, help="So many runs.")
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
        told = look_ahead(home, db, dag, count, None if instead is None else _schedule(home, dag, instead))
    if output != "table":
        document(asdict(told), output)
        return
    if told.next_runs:
        covering = any(run["data_interval_start"] != run["data_interval_end"] for run in told.next_runs)
        spans = ("data_interval_start", "data_interval_end") if covering else ()
        click.echo(table(told.next_runs, ("run_after", *spans, "state", "why")))
    for at in told.dropped:
        click.echo(sentence(f"dropped: the run of the schedule before that was due at {at}"))
    for passed in told.passed:
        click.echo(sentence(f"passed: {report.in_words(passed)}"))
    for note in told.notes:
        click.echo(sentence(note))


def look_ahead(home: Home, db: Database, dag: DagRecord, count: int, instead: TimetableRef | None = None) -> report.NextRuns:
    """What comes of a DAG's schedule if it is let run now; an author's timetable is asked in a process of its own."""

    def ask(asked: DagRecord, ref: TimetableRef, arguments: dict[str, Any]) -> Forecast:
        found: Forecast = ask_now(
            home.cfg, FORECAST, Forecast, timetable=ref, file=asked.file, answers=stored_answers(home.cfg),
            **{**arguments, "dag": bare(arguments["dag"])}
        )
        return found

    with db.read() as tx:
        asked = report.question(tx, dag, home.clock.now(), count, home.cfg.number("scheduler", "misfire_grace"))
    told, due = report.next_runs(asked, ask, instead)
    with db.read() as tx:
        return report.with_holders(told, due, lambda slot_key: runs.holder(tx, dag.dag_pk, slot_key))


def at_once(told: report.NextRuns) -> list[str]:
    """Sentences on what starts, and what is passed, in the moment in which the DAG is let run."""
    if told.blocked is not None:
        return [f"nothing runs: {told.blocked}"]
    now = [run for run in told.next_runs if run["state"] != "planned"]
    lines = [f"{run['run_id']} {_DOES[run['state'] or '']}: {run['why']}" for run in now[:AT_ONCE]]
    lines += ["and more"] if len(now) > AT_ONCE else []
    lines += [f"passed: {report.in_words(passed)}" for passed in told.passed]
    following = [run for run in told.next_runs if run["state"] == "planned"]
    if not now and following:
        lines.append(f"nothing runs at once; the next run is due at {following[0]['run_after']}")
    return lines


_DOES = {"now": "runs at once", "held": "waits", "taken": "is not made"}


def _schedule(home: Home, dag: DagRecord, text: str) -> TimetableRef:
    from gnomon.cli.timetables.target import target_of  # evaluates expressions; few look ahead with another schedule

    return target_of(home, text, dag.spec.timezone).ref
