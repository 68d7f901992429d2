"""Weeks, months and quarters as stretches of days. A week begins on Monday."""

from __future__ import annotations

from datetime import date, timedelta

from gnomon.errors.timetable import AirflowTimetableInvalid

SPANS = ("week", "month", "quarter")


def bounds(day: date, span: str) -> tuple[date, date]:
    """The first and the last day of the week, month or quarter that `day` lies in."""
    if span == "week":
        monday = day - timedelta(day.weekday())
        return monday, monday + timedelta(6)
    if span == "month":
        return day.replace(day=1), _month_end(day.year, day.month)
    if span == "quarter":
        first = (day.month - 1) // 3 * 3 + 1
        return date(day.year, first, 1), _month_end(day.year, first + 2)
    raise AirflowTimetableInvalid(f"{span!r} is no stretch of days; write one of {', '.join(SPANS)}")


def _month_end(year: int, month: int) -> date:
    if month == 12:
        return date(year, 12, 31)
    return date(year, month + 1, 1) - timedelta(1)
