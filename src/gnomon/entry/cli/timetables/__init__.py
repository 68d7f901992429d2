"""`gnomon timetables`: preview, compare and check schedules. One file a command; `shown_schedule.py` finds its TARGET."""

from __future__ import annotations

import click

from gnomon.entry.cli.commands import LazyCommand, LazyGroup

_COMMANDS = {
    "preview": LazyCommand(
        "gnomon.entry.cli.timetables.timetable_preview:preview",
        "List the runs of a schedule, as table, picture or calendar file.",
    ),
    "diff": LazyCommand(
        "gnomon.entry.cli.timetables.timetable_diff:diff", "Show what changes if one schedule replaces another."
    ),
    "check": LazyCommand(
        "gnomon.entry.cli.timetables.timetable_check:check", "Test whether a timetable keeps the laws of timetables."
    ),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def timetables() -> None:
    """Preview, compare and check schedules.

    TARGET is a DAG id, a cron text ('30 2 * * 1-5'), or a Python expression as schedule= takes it
    ('CronDataIntervalTimetable("@daily", "Europe/Berlin")', 'workday.AfterWorkdayTimetable()').
    """
