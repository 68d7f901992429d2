"""Parses cron expressions in croniter's dialect, with five to seven fields, and the presets such as `@daily`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.model.errors.timetable import AirflowTimetableInvalid

CRON_PRESETS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@quarterly": "0 0 1 */3 *",
    "@yearly": "0 0 1 1 *",
}
"""Presets that a timetable replaces when it is created, so that listings show the expression (airflow-surface.md B.2)."""

EXPANSIONS = CRON_PRESETS | {"@midnight": "0 0 * * *", "@annually": "0 0 1 1 *"}
"""Expressions of all names that the parser accepts."""

EXPRESSION_MAX = 1_000
"""Characters. A list of every value of every field has fewer than 700."""
_MONTHS = dict(zip("jan feb mar apr may jun jul aug sep oct nov dec".split(), range(1, 13), strict=True))
_WEEKDAYS = dict(zip("sun mon tue wed thu fri sat".split(), range(7), strict=True))
LAST_OF_MONTH = -1
"""In `days`: the last day of the month. In `nth`: the last such weekday of the month."""


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of an expression: its name in messages, its bounds, and the words for its values."""

    name: str
    low: int
    high: int
    words: dict[str, int]


_COLUMNS = (
    _Column("minute", 0, 59, {}),
    _Column("hour", 0, 23, {}),
    _Column("day of month", 1, 31, {"l": LAST_OF_MONTH}),
    _Column("month", 1, 12, _MONTHS),
    _Column("day of week", 0, 6, _WEEKDAYS),
    _Column("second", 0, 59, {}),
    _Column("year", 1970, 2099, {}),
)
_DAY, _WEEKDAY = 2, 4
_RANGE = re.compile(r"([^-/]+)-([^-/]+)(?:/(\d+))?", re.ASCII)
_EVERY = re.compile(r"\*/(\d+)", re.ASCII)
_FROM = re.compile(r"([^-/]+)/(\d+)", re.ASCII)
_NTH = re.compile(r"([a-z]{3}-[a-z]{3}|\w+)#(\d+)", re.ASCII)
_LAST_WEEKDAY = re.compile(r"l(\d)", re.ASCII)
_NEAREST = re.compile(r"(?:(\d+)w|w(\d+))", re.ASCII)


@dataclass(frozen=True, slots=True)
class CronFields:
    """The sets of values that an expression selects. None: no restriction."""

    expression: str
    minutes: frozenset[int]
    hours: frozenset[int]
    seconds: frozenset[int]
    days: frozenset[int] | None
    """Days of the month, with -1 for its last day."""
    months: frozenset[int]
    weekdays: frozenset[int] | None
    """0 is Sunday. If `days` is not None either, a day that is in one of the two sets is selected."""
    years: frozenset[int] | None
    nth: frozenset[tuple[int, int]]
    """(weekday, n) for `1#2`; n = -1 for the last one. If there are any, days of the month are ignored."""
    nearest: int | None
    """`15W`: the weekday nearest to that day of the month."""
    columns: int

    @property
    def every_hour(self) -> bool:
        """True if every hour is selected, in any spelling. The rule for clock changes depends on it."""
        return len(self.hours) == 24


def parse_cron(expression: str) -> CronFields:
    """The field sets of an expression. Raises AirflowTimetableInvalid with the expression, the field and the remedy."""
    if len(expression) > EXPRESSION_MAX:
        raise AirflowTimetableInvalid(
            f"a cron expression has at most {EXPRESSION_MAX:,} characters; {expression[:40]!r}... has {len(expression):,}"
        )
    text = EXPANSIONS.get(expression.strip().lower(), expression)
    columns = text.lower().split()
    if len(columns) not in (5, 6, 7):
        raise AirflowTimetableInvalid(
            f"cron expression {expression!r} has {len(columns)} field{'s' * (len(columns) != 1)}; write 5 (minute hour day month weekday), "
            "6 with seconds last, or a preset such as '@daily'"
        )
    reader = _CronParser(expression, columns, text.split())
    sets = [reader.column(number) for number in range(len(columns))]
    days = reader.restriction(_DAY, sets[_DAY], other=_WEEKDAY)
    weekdays = reader.restriction(_WEEKDAY, sets[_WEEKDAY], other=_DAY)
    if reader.nth and weekdays is not None and weekdays - {day for day, _ in reader.nth}:
        raise reader.error(_WEEKDAY, columns[_WEEKDAY], "mixes plain weekdays with `#` or `L`; write two schedules")
    return CronFields(
        expression=expression,
        minutes=frozenset(sets[0]),
        hours=frozenset(sets[1]),
        seconds=frozenset(sets[5]) if len(sets) > 5 else frozenset({0}),
        days=days,
        months=frozenset(sets[3]),
        weekdays=weekdays,
        years=frozenset(sets[6]) if len(sets) > 6 and len(sets[6]) < 130 else None,
        nth=frozenset(reader.nth),
        nearest=reader.nearest,
        columns=len(columns),
    )


class _CronParser:
    """Parses the columns of one expression."""

    def __init__(self, expression: str, columns: list[str], written: list[str]) -> None:
        self._expression = expression
        self._columns = columns
        self._written = written
        """The columns with the capitals of the author."""
        self.nth: set[tuple[int, int]] = set()
        self.nearest: int | None = None

    def column(self, number: int) -> set[int]:
        """The values that a column selects."""
        text = self._columns[number]
        kind = _COLUMNS[number]
        if text == "?" and number in (_DAY, _WEEKDAY):
            text = "*"
        values: set[int] = set()
        for item in text.split(","):
            values |= self._item(number, kind, item, alone="," not in text)
        return values

    def restriction(self, number: int, values: set[int], other: int) -> frozenset[int] | None:
        """The set of a day column; None if it does not restrict the days, so that the either-or rule ignores it."""
        text = self._columns[number]
        if text == "?" or "*" in text.split(","):
            return None
        whole = len(values) == _COLUMNS[number].high - _COLUMNS[number].low + 1
        if whole and "*" in self._columns[other]:
            return None
        return frozenset(values)

    def error(self, number: int, item: str, why: str) -> AirflowTimetableInvalid:
        at = self._columns[number].find(item)
        shown = self._written[number][at : at + len(item)]
        return AirflowTimetableInvalid(
            f"cron expression {self._expression!r}: the {_COLUMNS[number].name} field, {shown!r}, {why}"
        )

    def _item(self, number: int, kind: _Column, item: str, alone: bool) -> set[int]:
        if item == "*":
            return set(range(kind.low, kind.high + 1))
        if number == _WEEKDAY and (match := _NTH.fullmatch(item) or _LAST_WEEKDAY.fullmatch(item)):
            return self._nth_weekdays(kind, item, match)
        if number == _DAY and (match := _NEAREST.fullmatch(item)):
            return {self._nearest_weekday(kind, item, int(match[1] or match[2]), alone)}
        if match := _EVERY.fullmatch(item):
            return set(range(kind.low, kind.high + 1, self._step(number, item, match[1])))
        if match := _RANGE.fullmatch(item):
            return self._range(number, kind, item, match[1], match[2], match[3])
        if match := _FROM.fullmatch(item):
            low = self._value(number, kind, match[1], item)
            return set(range(low, kind.high + 1, self._step(number, item, match[2])))
        return {self._value(number, kind, item, item)}

    def _range(self, number: int, kind: _Column, item: str, first: str, last: str, every: str | None) -> set[int]:
        low = self._value(number, kind, first, item)
        high = kind.high if number == _DAY and last == "l" else self._value(number, kind, last, item)
        step = self._step(number, item, every or "1")
        if low == high:
            low, high = kind.low, kind.high
        if low <= high:
            return set(range(low, high + 1, step))
        head = range(low, kind.high + 1, step)
        left_over = kind.high - head[-1]
        size = kind.high - kind.low + 1
        skip = step - left_over if head[-1] - kind.low + step > size and left_over < step else 0
        return set(head) | set(range(kind.low + skip, high + 1, step))

    def _value(self, number: int, kind: _Column, text: str, item: str) -> int:
        value = kind.words.get(text)
        if value is None:
            if not (text.isascii() and text.isdigit()):
                raise self.error(number, item, _remedy(number, kind, item))
            value = int(text)
            if number == _WEEKDAY and value == 7:
                value = 0
        if value != LAST_OF_MONTH and not kind.low <= value <= kind.high:
            raise self.error(number, item, f"is out of range; use {kind.low} to {kind.high}")
        if value == LAST_OF_MONTH and item != text:
            raise self.error(number, item, "has L at the start of a range; write L alone or in a list")
        return value

    def _step(self, number: int, item: str, text: str) -> int:
        step = int(text)
        if step == 0:
            raise self.error(number, item, "has a step of 0; use 1 or more")
        return step

    def _nth_weekdays(self, kind: _Column, item: str, match: re.Match[str]) -> set[int]:
        nth = LAST_OF_MONTH if match.re is _LAST_WEEKDAY else int(match[2])
        if nth != LAST_OF_MONTH and not 1 <= nth <= 5:
            raise self.error(_WEEKDAY, item, "selects a week that no month has; use #1 to #5, or L before the day")
        first, _, last = match[1].partition("-")
        if last:
            weekdays = self._range(_WEEKDAY, kind, item, first, last, None)
        else:
            weekdays = {self._value(_WEEKDAY, kind, first, item)}
        self.nth.update((weekday, nth) for weekday in weekdays)
        return weekdays

    def _nearest_weekday(self, kind: _Column, item: str, day: int, alone: bool) -> int:
        if not alone:
            raise self.error(_DAY, item, "has W in a list; W takes a single day, write two schedules")
        if not kind.low <= day <= kind.high:
            raise self.error(_DAY, item, "is out of range; use 1 to 31")
        self.nearest = day
        return day


def _remedy(number: int, kind: _Column, item: str) -> str:
    """Why an item of a column is not valid, and what to write instead."""
    if number == _WEEKDAY and re.fullmatch(r"\w+l", item) and item != "l":
        return f"is not understood; for the last such weekday of a month write L first: 'L{item[:-1]}'"
    if number == _WEEKDAY and re.fullmatch(r"[^#]+-[^#]+#.*", item):
        return "is not understood; a range before `#` takes names and one number after it, for example 'mon-fri#2'"
    if re.fullmatch(r"[hr](\(.*\))?(/\d+)?", item):
        return "is a hashed or random value, which would change with each evaluation; write a number"
    if item.startswith("-"):
        return "is negative; use a number of the range " + f"{kind.low} to {kind.high}"
    words = [word for word in kind.words if word.isalpha() and word != "l"]
    names = f" or {words[0]}..{words[-1]}" if words else ""
    return f"is not understood; use numbers {kind.low} to {kind.high}{names}"
