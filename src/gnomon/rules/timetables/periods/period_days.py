"""The days of period timetables as DaySets: weekdays, and days of the month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import MAXYEAR, date

LAST = "last"
"""The last day of the month; with a weekday, its last one in the month."""
NEAREST_MONTHS = 12
"""Most months until a day of a month timetable comes again (a fifth Monday comes within four)."""
MonthDay = int | str | tuple[int, int | str]
"""1 to 31, `last`, or (ISO weekday, 1 to 5 or `last`)."""
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH


class WeekDays:
    """The days that fall on given ISO weekdays (Monday is 1)."""

    never = False

    def __init__(self, weekdays: Iterable[int]) -> None:
        chosen = frozenset(weekdays)
        self.every_day = len(chosen) == 7
        steps = range(7)
        self._ahead = [next(step for step in steps if _iso(day + step) in chosen) for day in steps]
        self._back = [next(step for step in steps if _iso(day - step) in chosen) for day in steps]

    def on_or_after(self, day: int) -> int | None:
        """The first selected day that is not before `day`."""
        return day + self._ahead[day % 7]

    def on_or_before(self, day: int) -> int | None:
        """The last selected day that is not after `day`."""
        return day - self._back[day % 7]


class MonthDays:
    """The named days of each month. A month without such a day (31 in April, a fifth Monday) has none."""

    every_day = False
    never = False

    def __init__(self, named: Iterable[MonthDay]) -> None:
        self._named = tuple(named)
        self._shapes: dict[tuple[int, int], list[int]] = {}

    def on_or_after(self, day: int) -> int | None:
        """The first selected day that is not before `day`; None if there is none up to the year 9999."""
        moment = date.fromordinal(min(max(day, _FIRST), _LAST) + _EPOCH)
        year, month = moment.year, moment.month
        for _ in range(NEAREST_MONTHS):
            nearest_day = next((selected for selected in self._of_month(year, month) if selected >= day), None)
            if nearest_day is not None:
                return nearest_day
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
            if year > MAXYEAR:
                break
        return None

    def on_or_before(self, day: int) -> int | None:
        """The last selected day that is not after `day`; None if there is none back to the year 1."""
        moment = date.fromordinal(min(max(day, _FIRST), _LAST) + _EPOCH)
        year, month = moment.year, moment.month
        for _ in range(NEAREST_MONTHS):
            nearest_day = next(
                (selected for selected in reversed(self._of_month(year, month)) if selected <= day), None
            )
            if nearest_day is not None:
                return nearest_day
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
            if year < 1:
                break
        return None

    def _of_month(self, year: int, month: int) -> list[int]:
        """The selected days of a month, in order. A month has one of 28 shapes (length, first weekday), each computed once."""
        first = date(year, month, 1).toordinal() - _EPOCH
        shape = (_length(year, month), _iso(first))
        days = self._shapes.get(shape)
        if days is None:
            days = self._shapes[shape] = sorted({day for named in self._named for day in _days_of(named, *shape)})
        return [first + day - 1 for day in days]


def _days_of(named: MonthDay, length: int, begins: int) -> list[int]:
    """The day that `named` selects in a month of that length and first weekday: a list of one day, or empty."""
    if named == LAST:
        return [length]
    if isinstance(named, int):
        return [named] if named <= length else []
    assert isinstance(named, tuple)
    weekday, nth = named
    all_of_them = range(1 + (weekday - begins) % 7, length + 1, 7)
    if nth == LAST:
        return [all_of_them[-1]]
    assert isinstance(nth, int)
    return [all_of_them[nth - 1]] if nth <= len(all_of_them) else []


def _iso(day: int) -> int:
    return (day + 3) % 7 + 1


def _length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
