"""`gnomon timetables diff`: shows what changes if one schedule replaces another."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_option, format_table, print_document
from gnomon.entry.cli.timetables.shown_schedule import ShownSchedule, find_schedule
from gnomon.entry.cli.timetables.time_window import add_year, resolve_end, resolve_start, window_options
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant, iso
from gnomon.model.sentences import render, say
from gnomon.queries.report.local_time import build_slot_row, format_local
from gnomon.queries.report.pictures.calendar_sheet import build_difference_sheet
from gnomon.queries.report.pictures.calendar_svg import render_calendar_svg
from gnomon.queries.report.schedule_difference import RunPair, ScheduleDifference, compute_difference

CHANGES_SHOWN = 40
"""Maximum number of changes in a table; JSON and YAML have all."""


@click.command()
@click.argument("before_text", metavar="A")
@click.argument("after_text", metavar="B")
@window_options
@format_option("svg")
@pass_deployment
@click.pass_context
def diff(
    context: click.Context,
    deployment: DeploymentAccess,
    before_text: str,
    after_text: str,
    start: datetime | None,
    end: datetime | None,
    timezone: str | None,
    output: str,
) -> None:
    """Show what changes if schedule B replaces schedule A: the runs that are gained, lost or moved within a year.

    A and B are DAG ids, cron texts or Python expressions. A lost and a gained run on the same local day count as one run that
    moved, the nearest pair first. If A is a DAG and B is not, B gets the start_date and end_date of A.
    """
    before = find_schedule(context, deployment, before_text, timezone)
    after = find_schedule(context, deployment, after_text, timezone or before.zone_name).bounded_by(before)
    first = resolve_start(deployment.clock, start, before.zone)
    until = resolve_end(first, end, before.zone) or add_year(first)
    windows = [target.list_runs(first, until) for target in (before, after)]
    until = min([until, *(window.runs[-1].run_after + 1 for window in windows if window.stop_reason)])
    old, new = ([run for run in window.runs if run.run_after < until] for window in windows)
    difference = compute_difference(old, new, before.zone)
    if output == "svg":
        title = f"{before.text} → {after.text}"
        click.echo(
            render_calendar_svg(build_difference_sheet(title, difference, before.zone, before.zone_name, first, until)),
            nl=False,
        )
    elif output == "table":
        _print(difference, before)
        if not old:
            click.echo(f"{before.text}: {render(before.explain_empty())}")
    else:
        print_document(_record(difference, before, after, first, until), output)
    stop_reasons = [window.stop_reason for window in windows if window.stop_reason]
    if stop_reasons:
        raise UserError(say("runs_after_instant_are_not_known", at=until, error="; ".join(stop_reasons)))


def _print(difference: ScheduleDifference, before: ShownSchedule) -> None:
    click.echo(render(difference.describe()))
    rows = _rows(difference, before)
    if rows:
        click.echo()
        click.echo(format_table(rows[:CHANGES_SHOWN], ("change", "before", "after")))
    if len(rows) > CHANGES_SHOWN:
        click.echo(f"... and {len(rows) - CHANGES_SHOWN} more: use -o json to list them, -o svg to draw them")


def _rows(difference: ScheduleDifference, before: ShownSchedule) -> list[dict[str, object]]:
    zone = before.zone
    changes: list[tuple[Instant, str, str, str]] = [
        *((run.run_after, "lost", format_local(run.run_after, zone), "-") for run in difference.lost),
        *((run.run_after, "gained", "-", format_local(run.run_after, zone)) for run in difference.gained),
        *(
            (
                pair.before.run_after,
                "moved",
                format_local(pair.before.run_after, zone),
                format_local(pair.after.run_after, zone),
            )
            for pair in difference.moved
        ),
        *((pair.before.run_after, "other data", *_format_intervals(pair, before)) for pair in difference.redefined),
    ]
    return [{"change": change, "before": old, "after": new} for _, change, old, new in sorted(changes)]


def _format_intervals(pair: RunPair, before: ShownSchedule) -> tuple[str, str]:
    old, new = (
        f"{format_local(run.interval_start, before.zone)} to {format_local(run.interval_end, before.zone)}"
        for run in (pair.before, pair.after)
    )
    return old, new


def _record(
    difference: ScheduleDifference, before: ShownSchedule, after: ShownSchedule, start: Instant, end: Instant
) -> dict[str, object]:
    return {
        "before": before.text,
        "after": after.text,
        "timezone": before.zone_name,
        "from": iso(start),
        "until": iso(end),
        "same": len(difference.same),
        "gained": [asdict(build_slot_row(run)) for run in difference.gained],
        "lost": [asdict(build_slot_row(run)) for run in difference.lost],
        "moved": [_pair_record(pair) for pair in difference.moved],
        "redefined": [_pair_record(pair) for pair in difference.redefined],
    }


def _pair_record(pair: RunPair) -> dict[str, object]:
    return {
        "before": asdict(build_slot_row(pair.before)),
        "after": asdict(build_slot_row(pair.after)),
        "by_seconds": pair.delay_s,
    }
