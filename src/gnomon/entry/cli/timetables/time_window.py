"""The time window of the timetable commands: the options --from, --until and --timezone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, TypeVar

import click

from gnomon.entry.cli.parameter_types import MomentType
from gnomon.ground.clock import Clock
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.sentences import say

F = TypeVar("F", bound=Callable[..., Any])
YEARS = (1900, 9000)
"""First and last year of a window: far enough from the limits of datetime for every zone and interval."""


def window_options(command: F) -> F:
    """Add --from, --until and --timezone to a command."""
    options = (
        click.option(
            "--from",
            "start",
            type=MomentType(),
            help="Start of the window; default: now. Without an offset, in the zone that is shown.",
        ),
        click.option("--until", "end", type=MomentType(), help="End of the window (exclusive)."),
        click.option(
            "--timezone",
            metavar="ZONE",
            help="Time zone of a cron text, and of the times that are shown; default: the schedule's own.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def resolve_start(clock: Clock, start: datetime | None, zone: tzinfo) -> Instant:
    """The first instant of the window (default: now); a naive `start` is read in `zone`. Raises UserError outside YEARS."""
    return clock.now() if start is None else _to_instant(start, zone)


def resolve_end(start: Instant, end: datetime | None, zone: tzinfo) -> Instant | None:
    """The first instant after the window, or None. Raises UserError when it is not after the start or outside YEARS."""
    if end is None:
        return None
    until = _to_instant(end, zone)
    if until <= start:
        raise UserError(say("window_is_empty", until_text=end.isoformat(), since_text=to_datetime(start).isoformat()))
    return until


def _to_instant(moment: datetime, zone: tzinfo) -> Instant:
    if not YEARS[0] <= moment.year <= YEARS[1]:
        raise UserError(say("time_is_out_of_range", text=moment.isoformat(), least=YEARS[0], most=YEARS[1]))
    return to_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone))


def add_year(start: Instant) -> Instant:
    """The same day and time a year later (28 February for 29 February)."""
    moment = to_datetime(start)
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return to_instant(moment.replace(year=moment.year + 1, day=day))
