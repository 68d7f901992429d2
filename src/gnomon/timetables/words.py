"""Cron expressions in words, by cron-descriptor, which is imported when somebody first asks."""

from __future__ import annotations

from functools import lru_cache

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.cronfields import parse_cron
from gnomon.timetables.presets import EXPANSIONS


@lru_cache(maxsize=1024)
def cron_in_words(expression: str) -> str:
    """The expression as a sentence; empty for one that is malformed, or that has seconds (no describer reads those).

    Where day of month and weekday both restrict, either is enough: the two are described one after the other.
    """
    try:
        fields = parse_cron(expression)
    except AirflowTimetableInvalid:
        return ""
    if fields.columns > 5:
        return ""
    text = EXPANSIONS.get(expression.strip().lower(), expression)
    minute, hour, day, month, weekday = text.split()
    if fields.days is None or fields.weekdays is None:
        return _describe(text)
    by_day = _describe(f"{minute} {hour} {day} {month} *")
    by_weekday = _describe(f"{minute} {hour} * {month} {weekday}")
    return f"{by_day} (or) {by_weekday}" if by_day and by_weekday else ""


def _describe(expression: str) -> str:
    from cron_descriptor import (  # type: ignore[import-untyped]
        CasingTypeEnum,
        ExpressionDescriptor,
        FormatError,
        Options,
    )

    options = Options(CasingTypeEnum.Sentence, use_24hour_time_format=True, locale_code="en_US")
    try:
        return str(ExpressionDescriptor(expression, options).get_description())
    except (FormatError, ValueError, IndexError):
        return ""
