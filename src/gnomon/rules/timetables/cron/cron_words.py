"""Cron expressions as sentences, by the library cron-descriptor, which is imported at the first use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.cron.cron_fields import EXPANSIONS, LAST_OF_MONTH, CronFields, parse_cron

_FIELDS = ((0, 60), (0, 24), (1, 31), (1, 12), (0, 7))
"""First value and number of values of minute, hour, day of month, month and weekday."""


@lru_cache(maxsize=1024)
def describe_cron(expression: str) -> str:
    """The expression as a sentence; empty for an invalid one, or one with seconds, which the library does not support.

    If day of month and weekday are both restricted, either selects a day: the two are described one after the other.
    """
    try:
        fields = parse_cron(expression)
    except AirflowTimetableInvalid:
        return ""
    if fields.columns > 5:
        return ""
    text = EXPANSIONS.get(expression.strip().lower(), expression)
    minute, hour, day, month, weekday = (_simplify_step(*column) for column in zip(text.split(), _FIELDS, strict=True))
    if fields.nth:
        return _describe_all(
            f"{minute} {hour} {_describe_days(fields, day)} {month} {weekday}"
            for weekday in _split_nth_weekdays(fields)
        )
    day, weekday = _describe_days(fields, day), weekday if fields.nearest is None else "*"
    if fields.nearest is not None or fields.days is None or fields.weekdays is None:
        return _describe(f"{minute} {hour} {day} {month} {weekday}")
    return _describe_all((f"{minute} {hour} {day} {month} *", f"{minute} {hour} * {month} {weekday}"))


def _simplify_step(written: str, field: tuple[int, int]) -> str:
    """Replaces a step larger than the field by the first value: `*/61` selects minute 0, not every 61 minutes."""
    low, size = field
    step = written.removeprefix("*/")
    return str(low) if step != written and step.isdecimal() and int(step) >= size else written


def _describe_days(fields: CronFields, written: str) -> str:
    """The day of month in the library's syntax; `*` if it is ignored."""
    if fields.nearest is not None:
        return f"{fields.nearest}W"
    return "*" if fields.nth and fields.weekdays is not None else written.upper()


def _split_nth_weekdays(fields: CronFields) -> list[str]:
    """Each weekday of the month as its own column (`1#2`, `L5`, ...), the last weekdays at the end."""
    ordered = sorted(fields.nth, key=lambda item: (item[1] == LAST_OF_MONTH, item[1], item[0]))
    return [f"L{weekday}" if nth == LAST_OF_MONTH else f"{weekday}#{nth}" for weekday, nth in ordered]


def _describe_all(expressions: Iterable[str]) -> str:
    """The expressions joined to one sentence; empty if the library does not support one of them."""
    words = [_describe(expression) for expression in expressions]
    return " (or) ".join(words) if all(words) else ""


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
