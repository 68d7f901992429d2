"""The granularity of a timetable (minute, hour, discrete hours, day, week, month), which selects the rules between DAGs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Literal, get_args

from gnomon.rules.timetables.cron.cron_fields import EXPANSIONS, CronFields
from gnomon.rules.timetables.spans import Span, compute_fixed_seconds

Granularity = Literal["minute", "hour", "discrete_hours", "day", "week", "month"]
GRANULARITIES: tuple[Granularity, ...] = get_args(Granularity)
"""All granularities, from fine to coarse."""
_STEP_OR_RANGE = re.compile(r"\*(/\d+)?|\d+-\d+(/\d+)?|\d+/\d+", re.ASCII)
_LENGTHS: tuple[tuple[timedelta, Granularity], ...] = (
    (timedelta(hours=1), "minute"),
    (timedelta(days=1), "hour"),
    (timedelta(weeks=1), "day"),
    (timedelta(days=28), "week"),
)
"""A span shorter than the timedelta has the granularity beside it; a longer one than all: month."""


def cron_granularity(fields: CronFields) -> Granularity:
    """The granularity of an expression: the finest column with more than one value."""
    if len(fields.minutes) > 1 or len(fields.seconds) > 1:
        return "minute"
    if len(fields.hours) > 1:
        text = EXPANSIONS.get(fields.expression.strip().lower(), fields.expression)
        return "hour" if _STEP_OR_RANGE.fullmatch(text.split()[1]) else "discrete_hours"
    if fields.days is not None or fields.nth or fields.nearest is not None:
        return "month"
    return "day" if fields.weekdays is None else "week"


def crons_granularity(crons: Iterable[CronFields]) -> Granularity:
    """The granularity of several expressions as one schedule: the finest of all, or a finer one if their times differ.

    Two times in one hour make `minute`, two hours make `discrete_hours`.
    """
    members = list(crons)
    finest = min((cron_granularity(fields) for fields in members), key=GRANULARITIES.index)
    if finest in ("minute", "hour"):
        return finest
    times = {(hour, minute) for fields in members for hour in fields.hours for minute in fields.minutes}
    hours = {hour for hour, _ in times}
    if len(times) > len(hours):
        return "minute"
    return "discrete_hours" if len(hours) > 1 else finest


def span_granularity(span: Span) -> Granularity:
    """The granularity of a timetable that steps by one span: by its length."""
    seconds = compute_fixed_seconds(span)
    if seconds is None:
        return "month"
    length = timedelta(seconds=seconds)
    return next((kind for limit, kind in _LENGTHS if length < limit), "month")
