"""`gnomon timetables`: what a schedule does, before it does it."""

from __future__ import annotations

import click

from gnomon.cli.lazy import Lazy, LazyGroup

_COMMANDS = {
    "preview": Lazy("gnomon.cli.timetables.preview:preview", "The runs of a schedule, as table, calendar or picture."),
    "diff": Lazy("gnomon.cli.timetables.diff:diff", "What changes if one schedule replaces another."),
    "check": Lazy("gnomon.cli.timetables.check:check", "Whether a timetable keeps the laws of timetables."),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def timetables() -> None:
    """Schedules: preview, diff, check.

    TARGET is a DAG id, a cron text ('30 2 * * 1-5'), or a Python expression as schedule= takes it
    ('CronDataIntervalTimetable("@daily", "Europe/Berlin")', 'workday.AfterWorkdayTimetable()').
    """
