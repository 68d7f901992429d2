"""Parses the arguments of period timetables, and formats them as text. Errors name the argument, the value and the remedy."""

from __future__ import annotations

from datetime import time

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.periods.period_days import LAST, MonthDay

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = {name.lower()[:size]: number for number, name in enumerate(WEEKDAYS, start=1) for size in (3, len(name))}


def parse_minute_of_day(argument: str, value: object) -> int:
    """Minutes since midnight of a text "HH:MM" or a datetime.time. Raises AirflowTimetableInvalid for others."""
    if isinstance(value, str):
        hour, colon, minute = value.partition(":")
        if colon and _digits(hour) and _digits(minute) and len(minute) == 2 and int(hour) < 24 and int(minute) < 60:
            return int(hour) * 60 + int(minute)
    if not isinstance(value, time):
        raise argument_error(argument, value, "is not a time of day; write '00:00' to '23:59', or a datetime.time")
    if value.second or value.microsecond:
        raise argument_error(
            argument,
            value,
            "has seconds; period timetables run at whole minutes; for seconds write a cron expression with six fields",
        )
    if value.tzinfo is not None:
        raise argument_error(argument, value, "has a time zone; remove it and give timezone= instead")
    return value.hour * 60 + value.minute


def parse_whole_number(argument: str, value: object, low: int, high: int, remedy: str = "") -> int:
    """`value` if it is a whole number from `low` to `high`; else raises AirflowTimetableInvalid with `remedy`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise argument_error(argument, value, f"is not a whole number from {low} to {high}{remedy and '; '}{remedy}")
    return value


def parse_hours(argument: str, value: object) -> tuple[int, ...]:
    """Hours of the day, in order, without duplicates."""
    return tuple(
        sorted(
            {parse_whole_number(argument, hour, 0, 23) for hour in _to_list(argument, value, "hours, as [2, 5, 15]")}
        )
    )


def parse_weekdays(argument: str, value: object) -> tuple[int, ...]:
    """ISO weekdays, in order, without duplicates, from numbers (Monday is 1) or names."""
    return tuple(
        sorted({_weekday(argument, weekday) for weekday in _to_list(argument, value, "weekdays, as ['mon', 'fri']")})
    )


def parse_month_days(argument: str, value: object) -> tuple[MonthDay, ...]:
    """Days of the month without duplicates: numbers in order, then `last`, then weekdays in order."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0].lower() in _NUMBERS:
        value = [value]
    month_days = {_month_day(argument, day) for day in _to_list(argument, value, "days, as [1, 15, 'last']")}
    return tuple(sorted(month_days, key=_sort_key))


def argument_error(argument: str, value: object, why: str) -> AirflowTimetableInvalid:
    """The error for an argument; `argument` is written as `Daily(at=`."""
    return AirflowTimetableInvalid(f"{argument}{value!r}) {why}")


def format_clock_time(minute: int) -> str:
    """Minutes since midnight as `HH:MM`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def encode_month_day(named: MonthDay) -> int | str | list[int | str]:
    """One day of the month as JSON, which `parse_month_days` accepts."""
    return list(named) if isinstance(named, tuple) else named


def _to_list(argument: str, value: object, example: str) -> list[object]:
    """The members of a list, tuple or set; a single number or name is a list of one."""
    if isinstance(value, (int, str)):
        return [value]
    if not isinstance(value, (list, tuple, set, frozenset, range)):
        raise argument_error(argument, value, f"is not a list; give {example}")
    if not value:
        raise argument_error(argument, value, f"is empty, so that it would never run; give {example}")
    return list(value)


def _weekday(argument: str, value: object) -> int:
    if isinstance(value, str):
        number = _NUMBERS.get(value.strip().lower())
        if number is not None:
            return number
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 7:
        raise argument_error(
            argument, value, "is not a weekday; write 1 (Monday) to 7 (Sunday), or a name such as 'mon' or 'Monday'"
        )
    return value


def _month_day(argument: str, value: object) -> MonthDay:
    if isinstance(value, str) and value.strip().lower() == LAST:
        return LAST
    if isinstance(value, (tuple, list)) and len(value) == 2:
        weekday, nth = _weekday(argument, value[0]), value[1]
        if isinstance(nth, str) and nth.strip().lower() == LAST:
            return (weekday, LAST)
        return (weekday, parse_whole_number(argument, nth, 1, 5, "or 'last', beside a weekday as in ('mon', 2)"))
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 31:
        raise argument_error(
            argument, value, "is not a day of the month; write 1 to 31, 'last', ('mon', 2) or ('mon', 'last')"
        )
    return value


def _sort_key(named: MonthDay) -> tuple[int, int, int]:
    if isinstance(named, tuple):
        weekday, nth = named
        return (2, weekday, 9 if nth == LAST else int(nth))
    return (1, 0, 0) if named == LAST else (0, int(named), 0)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2
