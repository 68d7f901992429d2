"""Sets of days that follow a business calendar: days off are skipped or moved, or the n-th business days are chosen."""

from __future__ import annotations

from datetime import date, timedelta

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.calendars.date_units import find_span_bounds
from gnomon.rules.timetables.wall_clock.labels import DaySet

SKIP, PREVIOUS, NEXT = "skip", "previous", "next"
ON_HOLIDAY = (SKIP, PREVIOUS, NEXT)
MAX_MISSES = 2000
"""Most consecutive selected days that are days off (29 February is a business day within 28 years)."""
_EPOCH = date(1970, 1, 1).toordinal()


class BusinessDayFilter:
    """The business days on which a schedule runs: `days` after the rule `on_holiday`.

    `skip`: days off are left out. `previous`, `next`: a day off is moved to the business day before or after it; several
    days moved to the same day are one. Moving keeps the order of days, which the searches in both directions rely on.
    """

    every_day = False

    def __init__(self, days: DaySet, calendar: Calendar, on_holiday: str) -> None:
        self._days = days
        self._calendar = calendar
        self._on_holiday = on_holiday
        self.never = days.never

    def on_or_after(self, day: int) -> int | None:
        """The first day with a run that is not before `day`."""
        if self._on_holiday == SKIP:
            return self._skip_forward(day)
        target = self._roll(day, "forward")
        if self._days.on_or_after(target) == target:
            return target
        if self._on_holiday == PREVIOUS:
            selected = self._days.on_or_after(target)
            return None if selected is None else self._roll(selected, "back")
        selected = self._days.on_or_after(self._roll(target - 1, "back") + 1)
        return None if selected is None else self._roll(selected, "forward")

    def on_or_before(self, day: int) -> int | None:
        """The last day with a run that is not after `day`."""
        if self._on_holiday == SKIP:
            return self._skip_back(day)
        target = self._roll(day, "back")
        if self._days.on_or_before(target) == target:
            return target
        if self._on_holiday == NEXT:
            selected = self._days.on_or_before(target)
            return None if selected is None else self._roll(selected, "forward")
        selected = self._days.on_or_before(self._roll(target + 1, "forward") - 1)
        return None if selected is None else self._roll(selected, "back")

    def _skip_forward(self, day: int) -> int | None:
        for _ in range(MAX_MISSES):
            selected = self._days.on_or_after(day)
            if selected is None:
                return None
            day = self._roll(selected, "forward")
            if day == selected:
                return day
        raise self._no_business_day_error(day)

    def _skip_back(self, day: int) -> int | None:
        for _ in range(MAX_MISSES):
            selected = self._days.on_or_before(day)
            if selected is None:
                return None
            day = self._roll(selected, "back")
            if day == selected:
                return day
        raise self._no_business_day_error(day)

    def _roll(self, day: int, direction: str) -> int:
        return number_of(self._calendar.roll(day_of_number(day), direction))

    def _no_business_day_error(self, day: int) -> AirflowTimetableInvalid:
        return AirflowTimetableInvalid(
            f"{MAX_MISSES} consecutive days of this schedule, next to {day_of_number(day)}, are days off in calendar "
            f"{self._calendar.label}; change the schedule, or move its runs with on_holiday='next' or 'previous'"
        )


class EveryDay:
    """The set of all days."""

    every_day = True
    never = False

    def on_or_after(self, day: int) -> int | None:
        return day

    def on_or_before(self, day: int) -> int | None:
        return day


class NthDays:
    """The n-th business day of each week, month or quarter that has as many; -1 is the last one."""

    every_day = False
    never = False

    def __init__(self, calendar: Calendar, nth: int, of: str) -> None:
        self._calendar = calendar
        self._nth = nth
        self._of = of

    def on_or_after(self, day: int) -> int | None:
        day_in_span = day_of_number(day)
        for _ in range(MAX_MISSES):
            chosen = self._calendar.nth_business_day(day_in_span, self._nth, self._of)
            if chosen is not None and number_of(chosen) >= day:
                return number_of(chosen)
            day_in_span = find_span_bounds(day_in_span, self._of)[1] + timedelta(1)
        raise self._no_nth_day_error(day)

    def on_or_before(self, day: int) -> int | None:
        day_in_span = day_of_number(day)
        for _ in range(MAX_MISSES):
            chosen = self._calendar.nth_business_day(day_in_span, self._nth, self._of)
            if chosen is not None and number_of(chosen) <= day:
                return number_of(chosen)
            day_in_span = find_span_bounds(day_in_span, self._of)[0] - timedelta(1)
        raise self._no_nth_day_error(day)

    def _no_nth_day_error(self, day: int) -> AirflowTimetableInvalid:
        return AirflowTimetableInvalid(
            f"no {self._of} within {MAX_MISSES} of {day_of_number(day)} has {abs(self._nth)} business days in calendar "
            f"{self._calendar.label}; choose a smaller nth="
        )


class DayAfter:
    """The day after each day of another set."""

    every_day = False

    def __init__(self, days: DaySet) -> None:
        self._days = days
        self.never = days.never

    def on_or_after(self, day: int) -> int | None:
        earlier_day = self._days.on_or_after(day - 1)
        return None if earlier_day is None else earlier_day + 1

    def on_or_before(self, day: int) -> int | None:
        earlier_day = self._days.on_or_before(day - 1)
        return None if earlier_day is None else earlier_day + 1


def day_of_number(number: int) -> date:
    """The date of a day number: `number` days after 1970-01-01."""
    return date.fromordinal(number + _EPOCH)


def number_of(day: date) -> int:
    """The day number of a date: days after 1970-01-01."""
    return day.toordinal() - _EPOCH


def require_on_holiday(on_holiday: str) -> None:
    """Raises AirflowTimetableInvalid unless `on_holiday` is one of ON_HOLIDAY."""
    if on_holiday not in ON_HOLIDAY:
        raise AirflowTimetableInvalid(f"on_holiday={on_holiday!r} is none of {', '.join(map(repr, ON_HOLIDAY))}")
