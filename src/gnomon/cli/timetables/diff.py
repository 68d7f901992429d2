"""`gnomon timetables diff`: what changes if one schedule replaces another."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, table
from gnomon.cli.timetables.target import Target, target_of
from gnomon.cli.timetables.window import closed, opened, window_options, year_after
from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant, iso
from gnomon.report.difference import Difference, Pair, difference
from gnomon.report.picture import picture
from gnomon.report.sheet import sheet_of_difference
from gnomon.report.slots import slot_row, wall

SHOWN = 40
"""So many changes are listed in a table; documents have all."""


@click.command()
@click.argument("before_text", metavar="A")
@click.argument("after_text", metavar="B")
@window_options
@click.option(
    "-o", "--output", type=click.Choice(["table", "json", "yaml", "svg"]), default="table", show_default=True, help="Form of the answer.",
)  # fmt: skip
@pass_home
def diff(
    home: Home, before_text: str, after_text: str, start: datetime | None, end: datetime | None, timezone: str | None, output: str
) -> None:
    """What changes if schedule B replaces schedule A: runs that are gained, lost or moved, over a year unless told.

    A and B are DAG ids, cron texts or Python expressions. Of the runs that are not the same, two of one local day count as
    one that moved, the nearest first. B runs within the bounds of DAG A, if A is one and B is not.
    """
    before = target_of(home, before_text, timezone)
    after = target_of(home, after_text, timezone or before.zone_name).within(before)
    first = opened(home, start, before.zone)
    until = closed(first, end, before.zone) or year_after(first)
    seen = [target.seen(home, first, until) for target in (before, after)]
    until = min([until, *(each.runs[-1].run_after + 1 for each in seen if each.stopped)])
    old, new = ([run for run in each.runs if run.run_after < until] for each in seen)
    found = difference(old, new, before.zone)
    if output == "svg":
        title = f"{before.text} → {after.text}"
        click.echo(picture(sheet_of_difference(title, found, before.zone, before.zone_name, first, until)), nl=False)
    elif output == "table":
        _print(found, before)
        if not old:
            click.echo(f"{before.text}: {before.without_runs()}")
    else:
        document(_record(found, before, after, first, until), output)
    stopped = [each.stopped for each in seen if each.stopped]
    if stopped:
        raise UserMistake(f"what follows {iso(until)} is not known: {'; '.join(stopped)}")


def _print(found: Difference, before: Target) -> None:
    click.echo(found.in_words())
    rows = _rows(found, before)
    if rows:
        click.echo()
        click.echo(table(rows[:SHOWN], ("change", "before", "after")))
    if len(rows) > SHOWN:
        click.echo(f"... and {len(rows) - SHOWN} more: -o json has all, -o svg shows them")


def _rows(found: Difference, before: Target) -> list[dict[str, object]]:
    zone = before.zone
    changes: list[tuple[Instant, str, str, str]] = [
        *((run.run_after, "lost", wall(run.run_after, zone), "-") for run in found.lost),
        *((run.run_after, "gained", "-", wall(run.run_after, zone)) for run in found.gained),
        *((pair.before.run_after, "moved", wall(pair.before.run_after, zone), wall(pair.after.run_after, zone)) for pair in found.moved),
        *((pair.before.run_after, "other data", *_data(pair, before)) for pair in found.redefined),
    ]
    return [{"change": what, "before": one, "after": two} for _, what, one, two in sorted(changes)]


def _data(pair: Pair, before: Target) -> tuple[str, str]:
    one, two = (f"{wall(run.interval_start, before.zone)} to {wall(run.interval_end, before.zone)}" for run in (pair.before, pair.after))
    return one, two


def _record(found: Difference, before: Target, after: Target, start: Instant, end: Instant) -> dict[str, object]:
    return {
        "before": before.text, "after": after.text, "timezone": before.zone_name, "from": iso(start), "until": iso(end),
        "same": len(found.same),
        "gained": [asdict(slot_row(run)) for run in found.gained],
        "lost": [asdict(slot_row(run)) for run in found.lost],
        "moved": [_pair(pair) for pair in found.moved],
        "redefined": [_pair(pair) for pair in found.redefined],
    }  # fmt: skip


def _pair(pair: Pair) -> dict[str, object]:
    return {"before": asdict(slot_row(pair.before)), "after": asdict(slot_row(pair.after)), "by_seconds": pair.by_s}
