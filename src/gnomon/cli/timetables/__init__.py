"""`gnomon timetables`: looking at time before it comes. One command a file."""

from __future__ import annotations

import click

from gnomon.cli.commands import LazyCommand, LazyGroup

_COMMANDS = {
    "preview": LazyCommand("gnomon.cli.timetables.timetable_preview:preview", "The runs of a schedule, as table, calendar or picture."),
    "diff": LazyCommand("gnomon.cli.timetables.timetable_diff:diff", "What changes if one schedule replaces another."),
    "check": LazyCommand("gnomon.cli.timetables.timetable_check:check", "Whether a timetable keeps the laws of timetables."),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def timetables() -> None:
    """Schedules: preview, diff, check.

    TARGET is a DAG id, a cron text ('30 2 * * 1-5'), or a Python expression as schedule= takes it
    ('CronDataIntervalTimetable("@daily", "Europe/Berlin")', 'workday.AfterWorkdayTimetable()').
    """
