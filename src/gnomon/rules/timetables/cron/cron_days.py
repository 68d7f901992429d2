"""The days that a cron expression selects. A year has one of 14 shapes (leap year, first weekday), each computed once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import MAXYEAR, MINYEAR, date

from gnomon.rules.timetables.cron.cron_fields import LAST_OF_MONTH, CronFields

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
CYCLE = 400
"""Years after which the calendar repeats itself, weekdays included."""


class CronDays:
    """The selected days, as day numbers: days after 1970-01-01. A DaySet."""

    def __init__(self, fields: CronFields) -> None:
        self._fields = fields
        self._shapes: dict[tuple[bool, int], list[int]] = {}
        self._latest = (0, 0, 0, list[int]())
        """Cache of the last year: its first day, the first day of the next year, the year, its selected days."""
        months = len(fields.months) < 12
        free_days = fields.days is None and fields.weekdays is None and not fields.nth and fields.nearest is None
        self.every_day = free_days and not months and fields.years is None
        self._first_year, self._last_year = (
            (MINYEAR, MAXYEAR) if fields.years is None else (min(fields.years), max(fields.years))
        )
        years = fields.years if fields.years is not None else range(2000, 2000 + CYCLE)
        self.never = not self.every_day and not any(self._of_year(year) for year in years)

    def on_or_after(self, day: int) -> int | None:
        """The first selected day that is not before `day`; None if there is none up to the year 9999."""
        if self.every_day:
            return day
        first, _, year, days = self._around(day)
        while not self.never and year <= self._last_year:
            at = bisect_left(days, day - first)
            if at < len(days):
                return first + days[at]
            year, first = year + 1, first + 365 + _leap(year)
            days = self._of_year(year) if year <= self._last_year else days
        return None

    def on_or_before(self, day: int) -> int | None:
        """The last selected day that is not after `day`; None if there is none back to the year 1."""
        if self.every_day:
            return day
        first, _, year, days = self._around(day)
        while not self.never and year >= self._first_year:
            at = bisect_right(days, day - first)
            if at:
                return first + days[at - 1]
            year, first = year - 1, first - 365 - _leap(year - 1)
            days = self._of_year(year) if year >= self._first_year else days
        return None

    def _around(self, day: int) -> tuple[int, int, int, list[int]]:
        """The year of `day`, in the form of `_latest`."""
        year_days = self._latest
        if not year_days[0] <= day < year_days[1]:
            ordinal = min(max(day + _EPOCH_ORDINAL, 1), date.max.toordinal())
            year = date.fromordinal(ordinal).year
            first = date(year, 1, 1).toordinal() - _EPOCH_ORDINAL
            year_days = self._latest = (first, first + 365 + _leap(year), year, self._of_year(year))
        return year_days

    def _of_year(self, year: int) -> list[int]:
        """The selected days of a year, counted from its 1 January."""
        if self._fields.years is not None and year not in self._fields.years:
            return []
        shape = (_leap(year), date(year, 1, 1).isoweekday() % 7)
        days = self._shapes.get(shape)
        if days is None:
            days = self._shapes[shape] = _days_of(self._fields, *shape)
        return days


def _days_of(fields: CronFields, leap: bool, weekday: int) -> list[int]:
    """The selected days of a year by its shape: whether it is a leap year, and the weekday of 1 January (0 is Sunday)."""
    selected: list[int] = []
    first = 0
    for month, length in enumerate((31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), start=1):
        if month in fields.months:
            begins = (weekday + first) % 7
            selected += [first + day - 1 for day in range(1, length + 1) if _selects(fields, day, length, begins)]
        first += length
    return selected


def _selects(fields: CronFields, day: int, length: int, begins: int) -> bool:
    """True if the day is selected in a month of that length whose first day is weekday `begins`."""
    weekday = (begins + day - 1) % 7
    if fields.nearest is not None and day != _nearest_workday(fields.nearest, length, begins):
        return False
    by_day = fields.days is None or day in fields.days or (day == length and LAST_OF_MONTH in fields.days)
    if fields.nth:
        in_week = (weekday, (day + 6) // 7) in fields.nth
        by_nth = in_week or ((weekday, LAST_OF_MONTH) in fields.nth and day > length - 7)
        return by_nth and (by_day or fields.weekdays is not None or fields.nearest is not None)
    if fields.nearest is not None:
        return True
    by_weekday = fields.weekdays is None or weekday in fields.weekdays
    if fields.days is not None and fields.weekdays is not None:
        return by_day or by_weekday
    return by_day and by_weekday


def _nearest_workday(day: int, length: int, begins: int) -> int:
    """The day from Monday to Friday that is nearest to `day` within its month."""
    day = min(day, length)
    weekday = (begins + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
