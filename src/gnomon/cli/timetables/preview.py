"""`gnomon timetables preview`: the runs that a schedule will make."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, fields, table
from gnomon.cli.timetables.target import RUNS_MOST, Target, target_of
from gnomon.cli.timetables.window import closed, opened, window_options, year_after
from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.report.ics import calendar_file
from gnomon.report.picture import picture
from gnomon.report.sheet import sheet_of_runs
from gnomon.report.slots import covering, slot_row, wall

COUNT = 10
"""So many runs are shown when nobody says how many."""
_PICTURES = ("svg", "ics")


@click.command()
@click.argument("target_text", metavar="TARGET")
@window_options
@click.option("--count", type=click.IntRange(1, RUNS_MOST), help=f"So many runs; default: {COUNT}, for svg and ics those of a year.")
@click.option(
    "-o", "--output", type=click.Choice(["table", "json", "yaml", *_PICTURES]), default="table", show_default=True,
    help="Form of the answer.",
)  # fmt: skip
@pass_home
def preview(
    home: Home, target_text: str, start: datetime | None, end: datetime | None, timezone: str | None, count: int | None, output: str
) -> None:
    """The runs that TARGET makes, as if every slot were made.

    TARGET is a DAG id, a cron text or a Python expression; `gnomon timetables --help` has examples.
    """
    if end is not None and count is not None:
        raise click.UsageError("--until and --count do not go together; give one of them")
    target = target_of(home, target_text, timezone)
    first = opened(home, start, target.zone)
    until = closed(first, end, target.zone)
    if until is None and count is None and output in _PICTURES:
        until = year_after(first)
    seen = target.seen(home, first, until, count or (COUNT if until is None else RUNS_MOST))
    _show(target, seen.runs, first, seen.runs[-1].run_after + 1 if seen.stopped else until, output)
    if seen.stopped:
        raise UserMistake(f"what follows is not known: {seen.stopped}")


def _show(target: Target, runs: list[PlannedRun], first: Instant, until: Instant | None, output: str) -> None:
    if output == "svg":
        if until is None:
            if not runs:
                raise UserMistake(target.without_runs())
            until = runs[-1].run_after + 1
        title = f"{target.text}: {target.ref.summary}" if target.ref.summary != target.text else target.text
        click.echo(picture(sheet_of_runs(title, target.ref.description, runs, target.zone, target.zone_name, first, until)), nl=False)
    elif output == "ics":
        click.echo(calendar_file(target.text, runs, target.zone), nl=False)
    elif output == "table":
        _print(target, runs)
    else:
        document([asdict(slot_row(run)) for run in runs], output)


def _print(target: Target, runs: list[PlannedRun]) -> None:
    told = [("schedule", target.ref.summary), ("description", target.ref.description), ("zone", target.zone_name)]
    click.echo(fields(told) + "\n")
    if not runs:
        click.echo(target.without_runs())
        return
    rows = [
        {"run_after": wall(run.run_after, target.zone), "data_interval_start": wall(run.interval_start, target.zone),
         "data_interval_end": wall(run.interval_end, target.zone), "run_id": run.run_id}
        for run in runs
    ]  # fmt: skip
    columns = ("run_after", "data_interval_start", "data_interval_end", "run_id") if covering(runs) else ("run_after", "run_id")
    click.echo(table(rows, columns))
