"""Random cron expressions, made together with what they mean: nothing here reads an expression."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date
from random import Random

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()


@dataclass(frozen=True)
class Field:
    """The text of one column, and the values that it means."""

    text: str
    values: frozenset[int]
    star: bool = False
    last: bool = False
    nearest: int | None = None
    nth: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Expression:
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    second: Field | None = None

    @property
    def text(self) -> str:
        columns = (self.minute, self.hour, self.day, self.month, self.weekday, self.second)
        return " ".join(field.text for field in columns if field is not None)

    @property
    def every_hour(self) -> bool:
        return len(self.hour.values) == 24

    def has_day(self, day: date) -> bool:
        if day.month not in self.month.values:
            return False
        length = calendar.monthrange(day.year, day.month)[1]
        if self.day.nearest is not None:
            return day.day == _nearest_workday(day.replace(day=min(self.day.nearest, length)), length)
        by_day = day.day in self.day.values or (self.day.last and day.day == length)
        if self.weekday.nth:
            return any(_is_nth(day, length, weekday, nth) for weekday, nth in self.weekday.nth)
        by_weekday = day.isoweekday() % 7 in self.weekday.values
        if self.day.star or self.weekday.star:
            return by_day and by_weekday
        return by_day or by_weekday


def random_expression(random: Random) -> Expression:
    """An expression of the dialect, rarer forms included."""
    weekday = _weekday(random)
    return Expression(
        minute=_column(random, 0, 59, (1, 20, 2)),
        hour=_column(random, 0, 23, (2, 4, 2)),
        day=_day(random, weekday),
        month=_column(random, 1, 12, (6, 1, 1), MONTHS, 1),
        weekday=weekday,
        second=_column(random, 0, 59, (0, 3, 0)) if random.random() < 0.05 else None,
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
        second=plain.second,
    )


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


def _day(random: Random, weekday: Field) -> Field:
    """Days of the month; `W` only beside a star, since it joins no either-or."""
    if random.random() < 0.1:
        return Field("L", frozenset(), last=True)
    if weekday.star and random.random() < 0.05:
        near = random.randint(1, 31)
        return Field(random.choice((f"{near}W", f"w{near}")), frozenset(), nearest=near)
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


def _is_nth(day: date, length: int, weekday: int, nth: int) -> bool:
    if day.isoweekday() % 7 != weekday:
        return False
    return day.day + 7 > length if nth == -1 else (day.day - 1) // 7 + 1 == nth


def _nearest_workday(there: date, length: int) -> int:
    """The day of the month of the workday nearest to `there`, going through the month by distance, earlier first."""
    days = sorted(range(1, length + 1), key=lambda number: (abs(number - there.day), number))
    return next(number for number in days if there.replace(day=number).isoweekday() < 6)
