"""Weeks, months and quarters as ranges of days, and the parsing of dates and weekdays. A week begins on Monday."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from gnomon.model.errors.timetable import AirflowTimetableInvalid

SPANS = ("week", "month", "quarter")


def find_span_bounds(day: date, span: str) -> tuple[date, date]:
    """The first and the last day of the week, month or quarter of `day`. Raises AirflowTimetableInvalid for another span."""
    if span == "week":
        monday = day - timedelta(day.weekday())
        return monday, monday + timedelta(6)
    if span == "month":
        return day.replace(day=1), _month_end(day.year, day.month)
    if span == "quarter":
        first = (day.month - 1) // 3 * 3 + 1
        return date(day.year, first, 1), _month_end(day.year, first + 2)
    raise AirflowTimetableInvalid(f"{span!r} is not a span of days; write one of {', '.join(SPANS)}")


def _month_end(year: int, month: int) -> date:
    if month == 12:
        return date(year, 12, 31)
    return date(year, month + 1, 1) - timedelta(1)


WEEKDAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {name: number for number, name in enumerate(WEEKDAY_NAMES)} | {
    name: number
    for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SATURDAY_SUNDAY = frozenset({5, 6})


def parse_weekday_numbers(weekdays: Iterable[str | int]) -> frozenset[int]:
    """Weekdays by name (`sat`, `Saturday`) or number (0: Monday) as numbers. Raises AirflowTimetableInvalid for others."""
    if isinstance(weekdays, str):
        weekdays = [word.strip() for word in weekdays.split(",") if word.strip()]
    numbers = set()
    for weekday in weekdays:
        number = _NUMBERS.get(weekday.strip().lower()) if isinstance(weekday, str) else weekday
        if number is None or isinstance(number, bool) or number not in range(7):
            raise AirflowTimetableInvalid(
                f"{weekday!r} is not a weekday; write {', '.join(WEEKDAY_NAMES)}, or 0 for Monday to 6 for Sunday"
            )
        numbers.add(number)
    return frozenset(numbers)


def parse_day(day: object) -> date:
    """The date of a date or a text `YYYY-MM-DD`. Raises AirflowTimetableInvalid for anything else."""
    if type(day) is date:
        return day
    if isinstance(day, str):
        try:
            return date.fromisoformat(day.strip())
        except ValueError:
            pass
    raise AirflowTimetableInvalid(f"{day!r} is not a date; write it as YYYY-MM-DD")
