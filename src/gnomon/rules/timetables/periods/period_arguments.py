"""Parses the arguments of period timetables, and formats them as text. Errors name the argument, the value and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.periods.period_days import LAST, MonthDay

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = {name.lower()[:size]: number for number, name in enumerate(WEEKDAYS, start=1) for size in (3, len(name))}
_NTH = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", LAST: LAST}


def parse_minute_of_day(argument: str, given: object) -> int:
    """Minutes since midnight of a text "HH:MM" or a datetime.time. Raises AirflowTimetableInvalid for others."""
    if isinstance(given, str):
        hour, colon, minute = given.partition(":")
        if colon and _digits(hour) and _digits(minute) and len(minute) == 2 and int(hour) < 24 and int(minute) < 60:
            return int(hour) * 60 + int(minute)
    if not isinstance(given, time):
        raise argument_error(argument, given, "is not a time of day; write '00:00' to '23:59', or a datetime.time")
    if given.second or given.microsecond:
        raise argument_error(
            argument,
            given,
            "has seconds; period timetables run at whole minutes; for seconds write a cron expression with six fields",
        )
    if given.tzinfo is not None:
        raise argument_error(argument, given, "has a time zone; remove it and give timezone= instead")
    return given.hour * 60 + given.minute


def parse_whole_number(argument: str, given: object, low: int, high: int, remedy: str = "") -> int:
    """`given` if it is a whole number from `low` to `high`; else raises AirflowTimetableInvalid with `remedy`."""
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise argument_error(argument, given, f"is not a whole number from {low} to {high}{remedy and '; '}{remedy}")
    return given


def parse_hours(argument: str, given: object) -> tuple[int, ...]:
    """Hours of the day, in order, without duplicates."""
    return tuple(
        sorted(
            {parse_whole_number(argument, hour, 0, 23) for hour in _to_list(argument, given, "hours, as [2, 5, 15]")}
        )
    )


def parse_weekdays(argument: str, given: object) -> tuple[int, ...]:
    """ISO weekdays, in order, without duplicates, from numbers (Monday is 1) or names."""
    return tuple(
        sorted({_weekday(argument, weekday) for weekday in _to_list(argument, given, "weekdays, as ['mon', 'fri']")})
    )


def parse_month_days(argument: str, given: object) -> tuple[MonthDay, ...]:
    """Days of the month without duplicates: numbers in order, then `last`, then weekdays in order."""
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and given[0].lower() in _NUMBERS:
        given = [given]
    found = {_month_day(argument, day) for day in _to_list(argument, given, "days, as [1, 15, 'last']")}
    return tuple(sorted(found, key=_sort_key))


def argument_error(argument: str, given: object, why: str) -> AirflowTimetableInvalid:
    """The error for an argument; `argument` is written as `Daily(at=`."""
    return AirflowTimetableInvalid(f"{argument}{given!r}) {why}")


def format_clock_time(minute: int) -> str:
    """Minutes since midnight as `HH:MM`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def join_words(words: Iterable[str]) -> str:
    """`a`, `a and b`, or `a, b and c`."""
    *head, last = words
    return f"{', '.join(head)} and {last}" if head else last


def describe_month_day(named: MonthDay) -> str:
    """`day 3`, `the last day`, `the second Monday`."""
    if isinstance(named, tuple):
        return f"the {_NTH[named[1]]} {WEEKDAYS[named[0] - 1]}"
    return "the last day" if named == LAST else f"day {named}"


def encode_month_day(named: MonthDay) -> int | str | list[int | str]:
    """One day of the month as JSON, which `parse_month_days` accepts."""
    return list(named) if isinstance(named, tuple) else named


def _to_list(argument: str, given: object, example: str) -> list[object]:
    """The members of a list, tuple or set; a single number or name is a list of one."""
    if isinstance(given, (int, str)):
        return [given]
    if not isinstance(given, (list, tuple, set, frozenset, range)):
        raise argument_error(argument, given, f"is not a list; give {example}")
    if not given:
        raise argument_error(argument, given, f"is empty, so that it would never run; give {example}")
    return list(given)


def _weekday(argument: str, given: object) -> int:
    if isinstance(given, str):
        found = _NUMBERS.get(given.strip().lower())
        if found is not None:
            return found
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 7:
        raise argument_error(
            argument, given, "is not a weekday; write 1 (Monday) to 7 (Sunday), or a name such as 'mon' or 'Monday'"
        )
    return given


def _month_day(argument: str, given: object) -> MonthDay:
    if isinstance(given, str) and given.strip().lower() == LAST:
        return LAST
    if isinstance(given, (tuple, list)) and len(given) == 2:
        weekday, nth = _weekday(argument, given[0]), given[1]
        if isinstance(nth, str) and nth.strip().lower() == LAST:
            return (weekday, LAST)
        return (weekday, parse_whole_number(argument, nth, 1, 5, "or 'last', beside a weekday as in ('mon', 2)"))
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 31:
        raise argument_error(
            argument, given, "is not a day of the month; write 1 to 31, 'last', ('mon', 2) or ('mon', 'last')"
        )
    return given


def _sort_key(named: MonthDay) -> tuple[int, int, int]:
    if isinstance(named, tuple):
        weekday, nth = named
        return (2, weekday, 9 if nth == LAST else int(nth))
    return (1, 0, 0) if named == LAST else (0, int(named), 0)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2
