"""`gnomon timetables preview`: lists the runs of a schedule."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.changes.operations.schedule_targets import RUNS_MAX
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_fields, format_option, format_table, print_document
from gnomon.entry.cli.timetables.shown_schedule import ShownSchedule, find_schedule
from gnomon.entry.cli.timetables.time_window import add_year, resolve_end, resolve_start, window_options
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.local_time import build_slot_row, format_local, has_intervals
from gnomon.queries.report.pictures.calendar_sheet import build_runs_sheet
from gnomon.queries.report.pictures.calendar_svg import render_calendar_svg
from gnomon.queries.report.pictures.ics_export import build_calendar_file

RUNS_SHOWN = 10
"""Default of --count for tables and documents."""
_PICTURES = ("svg", "ics")


@click.command()
@click.argument("target_text", metavar="TARGET")
@window_options
@click.option(
    "--count",
    type=IntegerRange(1, RUNS_MAX),
    help=f"Number of runs; default: {RUNS_SHOWN}, for svg and ics those of a year.",
)
@format_option(*_PICTURES)
@pass_deployment
@click.pass_context
def preview(
    context: click.Context,
    deployment: DeploymentAccess,
    target_text: str,
    start: datetime | None,
    end: datetime | None,
    timezone: str | None,
    count: int | None,
    output: str,
) -> None:
    """List the runs of TARGET: one for every slot of its schedule.

    TARGET is a DAG id, a cron text or a Python expression; `gnomon timetables --help` has examples.
    """
    if end is not None and count is not None:
        raise click.UsageError("--until and --count exclude each other; give one of them")
    target = find_schedule(context, deployment, target_text, timezone)
    first = resolve_start(deployment.clock, start, target.zone)
    until = resolve_end(first, end, target.zone)
    if until is None and count is None and output in _PICTURES:
        until = add_year(first)
    window = target.list_runs(first, until, count or (RUNS_SHOWN if until is None else RUNS_MAX))
    _print_runs(target, window.runs, first, window.runs[-1].run_after + 1 if window.stop_reason else until, output)
    if window.stop_reason:
        raise UserError(say("runs_after_these_are_not_known", error=window.stop_reason))


def _print_runs(
    target: ShownSchedule, runs: list[PlannedRun], first: Instant, until: Instant | None, output: str
) -> None:
    if output == "svg":
        if until is None:
            if not runs:
                raise UserError(target.explain_empty())
            until = runs[-1].run_after + 1
        title = f"{target.text}: {target.facts.summary}" if target.facts.summary != target.text else target.text
        click.echo(
            render_calendar_svg(
                build_runs_sheet(title, target.facts.description, runs, target.zone, target.zone_name, first, until)
            ),
            nl=False,
        )
    elif output == "ics":
        click.echo(build_calendar_file(target.text, runs, target.zone), nl=False)
    elif output == "table":
        _print_table(target, runs)
    else:
        print_document([asdict(build_slot_row(run)) for run in runs], output)


def _print_table(target: ShownSchedule, runs: list[PlannedRun]) -> None:
    fields = [("schedule", target.facts.summary), ("description", target.facts.description), ("zone", target.zone_name)]
    click.echo(format_fields(fields) + "\n")
    if not runs:
        click.echo(render(target.explain_empty()))
        return
    rows = [
        {
            "run_after": format_local(run.run_after, target.zone),
            "data_interval_start": format_local(run.interval_start, target.zone),
            "data_interval_end": format_local(run.interval_end, target.zone),
            "run_id": run.run_id,
        }
        for run in runs
    ]
    columns = (
        ("run_after", "data_interval_start", "data_interval_end", "run_id")
        if has_intervals(runs)
        else ("run_after", "run_id")
    )
    click.echo(format_table(rows, columns))
