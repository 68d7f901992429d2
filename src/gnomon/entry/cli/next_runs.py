"""`gnomon dags next-runs`, and the forecast that `gnomon dags unpause` prints."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.actions.run_forecasts import forecast_next_runs
from gnomon.changes.operations import dag_operations
from gnomon.entry.cli.deployment.api_target import require_home
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_sentence, format_table, output_option, print_document
from gnomon.model.records import DagRecord
from gnomon.model.slots import TimetableRef
from gnomon.queries.report import next_runs as report
from gnomon.queries.report.listings.dag_list import find_dag

RUNS_SHOWN = 5
RUNS_MAX = 1000
STARTING_RUNS_SHOWN = 5
"""Maximum number of runs starting at once that `unpause` lists; for the others it prints "and more"."""


@click.command("next-runs")
@click.argument("dag_id", metavar="DAG")
@click.option("--count", type=IntegerRange(1, RUNS_MAX), default=RUNS_SHOWN, show_default=True, help="Number of runs.")
@click.option(
    "--schedule",
    "schedule",
    metavar="TARGET",
    help="Forecast with this schedule instead of the DAG's: a cron text or a Python expression.",
)
@output_option
@pass_deployment
@click.pass_context
def next_runs(
    context: click.Context, deployment: DeploymentAccess, dag_id: str, count: int, schedule: str | None, output: str
) -> None:
    """Show the coming runs of a DAG, each with its reason.

    For a paused DAG: the runs that would come if it were unpaused now. With --schedule: the effect of another schedule, before
    the DAG file is changed.
    """
    if schedule is None:
        forecast = deployment.perform(dag_operations.forecast_dag, dag_id, count)
    else:
        forecast = _forecast_schedule(context, dag_id, count, schedule)
    if output != "table":
        print_document(asdict(forecast), output)
        return
    if forecast.next_runs:
        has_intervals = any(run["data_interval_start"] != run["data_interval_end"] for run in forecast.next_runs)
        interval_columns = ("data_interval_start", "data_interval_end") if has_intervals else ()
        click.echo(format_table(forecast.next_runs, ("run_after", *interval_columns, "state", "why")))
    for at in forecast.dropped:
        click.echo(format_sentence(f"dropped: the run of the previous schedule that was due at {at}"))
    for skipped in forecast.skipped:
        click.echo(format_sentence(f"skipped: {report.describe_skipped_row(skipped)}"))
    for note in forecast.notes:
        click.echo(format_sentence(note))


def _forecast_schedule(context: click.Context, dag_id: str, count: int, schedule: str) -> report.NextRunsTable:
    """The next `count` runs of a DAG as if it had another schedule. That may be Python code of the user, which no API runs."""
    require_home(context, "--schedule")
    home = context.ensure_object(Home)
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
        forecast = forecast_next_runs(
            home.cfg, db, dag, home.clock.now(), count, _resolve_schedule(home, dag, schedule)
        )
        return report.build_table(forecast)


def describe_unpausing(forecast: report.NextRunsTable) -> list[str]:
    """Sentences on the runs that start, and the slots that are skipped, when the DAG is unpaused."""
    if forecast.blocked is not None:
        return [f"nothing runs: {forecast.blocked}"]
    due = [run for run in forecast.next_runs if run["state"] != "planned"]
    lines = [f"{run['run_id']} {_EFFECTS[run['state'] or '']}: {run['why']}" for run in due[:STARTING_RUNS_SHOWN]]
    lines += ["and more"] if len(due) > STARTING_RUNS_SHOWN else []
    lines += [f"skipped: {report.describe_skipped_row(skipped)}" for skipped in forecast.skipped]
    following = [run for run in forecast.next_runs if run["state"] == "planned"]
    if not due and following:
        lines.append(f"nothing runs at once; the next run is due at {following[0]['run_after']}")
    return lines


_EFFECTS = {"now": "runs at once", "held": "waits", "taken": "is not created"}


def _resolve_schedule(home: Home, dag: DagRecord, text: str) -> TimetableRef:
    from gnomon.entry.cli.timetables.shown_schedule import (
        resolve_home_target,  # start-up cost: needed only for --schedule
    )

    return resolve_home_target(home, text, dag.spec.local_timezone).ref
