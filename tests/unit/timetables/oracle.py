"""A cron oracle that shares nothing with the evaluator: it makes expressions together with what they mean, and goes
through time minute by minute."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from random import Random

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Field:
    """The text of one column, and the values that it means."""

    text: str
    values: frozenset[int]
    star: bool = False
    last: bool = False
    nth: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Expression:
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field

    @property
    def text(self) -> str:
        return " ".join(field.text for field in (self.minute, self.hour, self.day, self.month, self.weekday))

    def has_day(self, label: datetime) -> bool:
        if label.month not in self.month.values:
            return False
        by_day = label.day in self.day.values or (self.day.last and (label + timedelta(days=1)).day == 1)
        if self.weekday.nth:
            return any(_is_nth(label, weekday, nth) for weekday, nth in self.weekday.nth)
        by_weekday = label.isoweekday() % 7 in self.weekday.values
        if self.day.star or self.weekday.star:
            return by_day and by_weekday
        return by_day or by_weekday


def random_expression(random: Random) -> Expression:
    """An expression of the dialect, rarer forms included."""
    return Expression(
        minute=_column(random, 0, 59, (3, 4, 1)),
        hour=_column(random, 0, 23, (3, 3, 2)),
        day=_day(random),
        month=_column(random, 1, 12, (6, 1, 1), MONTHS, 1),
        weekday=_weekday(random),
    )


def expression_around(random: Random, hour: int) -> Expression:
    """An expression of given hours next to `hour`, or of every hour, on most days."""
    plain = random_expression(random)
    every_day = Field("*", frozenset(range(1, 32)), star=True)
    hours = frozenset((hour + shift) % 24 for shift in random.sample(range(-2, 3), random.choice((1, 1, 2, 3))))
    return Expression(
        minute=plain.minute,
        hour=Field(",".join(map(str, hours)), hours) if random.random() < 0.8 else _column(random, 0, 23, (1, 0, 1)),
        day=plain.day if random.random() < 0.2 else every_day,
        month=Field("*", frozenset(range(1, 13)), star=True),
        weekday=Field("*", frozenset(range(7)), star=True),
    )


def instants_between(expression: Expression, zone: tzinfo, start: datetime, end: datetime) -> list[datetime]:
    """Every instant of the expression from `start` to `end` (exclusive), by trying every minute of the wall clock."""
    found: set[datetime] = set()
    label = (start - timedelta(days=2)).replace(tzinfo=None, hour=0, minute=0)
    until = (end + timedelta(days=2)).replace(tzinfo=None)
    every_hour = len(expression.hour.values) == 24
    while label < until:
        if not expression.has_day(label):
            label += timedelta(days=1)
            continue
        for _ in range(24 * 60):
            if label.minute in expression.minute.values and label.hour in expression.hour.values:
                found.update(_instants_of(label, zone, every_hour))
            label += MINUTE
    return sorted(instant for instant in found if start <= instant < end)


def _instants_of(label: datetime, zone: tzinfo, every_hour: bool) -> list[datetime]:
    readings = [label.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    real = [reading for reading in readings if reading.astimezone(zone).replace(tzinfo=None) == label]
    if not real:
        return readings[:1]
    return real if every_hour else [max(real)]


def _column(
    random: Random, low: int, high: int, weights: tuple[int, int, int], words: list[str] | None = None, base: int = 0
) -> Field:
    """`*`, one or more values, or a stepped range; weights choose among the three."""
    form = random.choices(("star", "list", "range"), weights)[0]
    if form == "star":
        return Field("*", frozenset(range(low, high + 1)), star=True)
    if form == "list":
        values = random.sample(range(low, high + 1), random.choice((1, 1, 1, 2, 3)))
        return Field(",".join(_word(random, value, words, base) for value in values), frozenset(values))
    return _range(random, low, high)


def _range(random: Random, low: int, high: int) -> Field:
    step = random.choice((1, 2, 3, 5, 7, 15))
    if random.random() < 0.4:
        return Field(f"*/{step}", frozenset(range(low, high + 1, step)))
    first, last = sorted(random.sample(range(low, high + 1), 2))
    if random.random() < 0.3 and step == 1:
        return Field(f"{last}-{first}", frozenset({*range(last, high + 1), *range(low, first + 1)}))
    if first == low and last == high:
        last -= 1
    return Field(f"{first}-{last}/{step}", frozenset(range(first, last + 1, step)))


def _day(random: Random) -> Field:
    if random.random() < 0.1:
        return Field("L", frozenset(), last=True)
    field = _column(random, 1, 31, (6, 3, 1))
    return field if field.star or len(field.values) < 31 else Field("*", field.values, star=True)


def _weekday(random: Random) -> Field:
    if random.random() < 0.15:
        weekday, nth = random.randrange(7), random.choice((1, 2, 3, 4, 5, -1))
        text = f"L{weekday}" if nth == -1 else f"{random.choice((str(weekday), WEEKDAYS[weekday]))}#{nth}"
        return Field(text, frozenset({weekday}), nth=frozenset({(weekday, nth)}))
    field = _column(random, 0, 6, (6, 3, 1), WEEKDAYS, 0)
    return field if field.star or len(field.values) < 7 else Field("*", field.values, star=True)


def _word(random: Random, value: int, words: list[str] | None, base: int) -> str:
    if words is WEEKDAYS and value == 0 and random.random() < 0.3:
        return "7"
    if words is not None and random.random() < 0.5:
        word = words[value - base]
        return random.choice((word, word.upper(), word.title()))
    return str(value)


def _is_nth(label: datetime, weekday: int, nth: int) -> bool:
    if label.isoweekday() % 7 != weekday:
        return False
    if nth == -1:
        return label.day + 7 > calendar.monthrange(label.year, label.month)[1]
    return (label.day - 1) // 7 + 1 == nth
