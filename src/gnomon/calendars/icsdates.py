"""Dates from the text of an iCalendar file (RFC 5545): its all-day events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from gnomon.errors.timetable import AirflowTimetableInvalid

MOST_DAYS = 20_000
"""One file gives at most so many days off: fifty years of nothing else."""
_DAY = timedelta(1)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?")


class Line(NamedTuple):
    """One property: `NAME;parameters:value`."""

    number: int
    """Of the line in the file that it begins on."""
    name: str
    parameters: str
    value: str


class Bad(Exception):
    """A property does not read; with its line and why."""

    def __init__(self, line: Line, why: str) -> None:
        super().__init__(why)
        self.line = line


def dates_of_ics(text: str, name: str, *, until: date | None = None) -> list[date]:
    """The days of all-day events: single ones, several days (DTEND is the day after), and ones repeated each year.

    `until`: the last day of a yearly event that has no end of its own. Cancelled events count for nothing. What does not
    read, or is no whole day, is refused with `name` and the line.
    """
    found: set[date] = set()
    for event in _events(text, name):
        try:
            found.update(_days(event, until))
        except Bad as bad:
            raise AirflowTimetableInvalid(f"{name}, line {bad.line.number}: {bad}") from None
        if len(found) > MOST_DAYS:
            raise AirflowTimetableInvalid(f"{name}: its events are more than {MOST_DAYS} days; state an earlier until=")
    return sorted(found)


def _events(text: str, name: str) -> Iterator[dict[str, list[Line]]]:
    """The properties of each VEVENT, by name."""
    event: dict[str, list[Line]] | None = None
    seen = False
    for line in _unfolded(text):
        if line.name == "BEGIN":
            seen = seen or line.value.upper() == "VCALENDAR"
            event = {"BEGIN": [line]} if line.value.upper() == "VEVENT" else event
        elif line.name == "END" and line.value.upper() == "VEVENT" and event is not None:
            yield event
            event = None
        elif event is not None:
            event.setdefault(line.name, []).append(line)
    if not seen:
        raise AirflowTimetableInvalid(f"{name} has no BEGIN:VCALENDAR; give an iCalendar file, or a CSV file with the suffix .csv")


def _unfolded(text: str) -> Iterator[Line]:
    """Each property once, although it may go over several lines (those that go on begin with a space)."""
    whole: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if line[:1] in (" ", "\t") and whole:
            whole[-1] = (whole[-1][0], whole[-1][1] + line[1:])
        elif line.strip():
            whole.append((number, line))
    for number, line in whole:
        head, _, value = line.partition(":")
        name, _, parameters = head.partition(";")
        yield Line(number, name.strip().upper(), parameters.upper(), value.strip())


def _days(event: dict[str, list[Line]], until: date | None) -> Iterator[date]:
    """The days of one event."""
    if any(line.value.upper() == "CANCELLED" for line in event.get("STATUS", [])):
        return
    for name in ("RDATE", "RECURRENCE-ID", "EXRULE"):
        for line in event.get(name, []):
            raise Bad(line, f"{name} is not understood; write an event for each of its days")
    begin = event.get("DTSTART")
    if not begin:
        raise Bad(event["BEGIN"][0], "this event has no DTSTART; give it the day on which it begins")
    start = _date(begin[0])
    length = _length(event, start)
    without = {_date(line, part) for line in event.get("EXDATE", []) for part in line.value.split(",")}
    for first in _starts(event, start, until):
        if first not in without:
            yield from (first + _DAY * number for number in range(length))


def _length(event: dict[str, list[Line]], start: date) -> int:
    """How many days the event is long."""
    if "DTEND" in event:
        line = event["DTEND"][0]
        days = (_date(line) - start).days
        if not 0 <= days <= MOST_DAYS:
            raise Bad(line, f"this event ends on {line.value} and begins on {start.isoformat()}; correct one of the two")
        return max(days, 1)
    if "DURATION" in event:
        line = event["DURATION"][0]
        read = _DURATION.fullmatch(line.value.upper())
        days = 7 * int(read[1] or 0) + int(read[2] or 0) if read else 0
        if not 1 <= days <= MOST_DAYS:
            raise Bad(line, f"the duration {line.value} is no number of whole days; write it like P2D")
        return days
    return 1


def _starts(event: dict[str, list[Line]], start: date, until: date | None) -> Iterator[date]:
    """The first days of the event's repetitions, itself included."""
    rules = event.get("RRULE", [])
    if not rules:
        yield start
        return
    line = rules[0]
    parts = dict(part.partition("=")[::2] for part in line.value.upper().split(";") if part)
    if len(rules) > 1 or parts.get("FREQ") != "YEARLY":
        raise Bad(line, "only events that are repeated each year (FREQ=YEARLY) are understood; write an event for each day")
    last = None if "UNTIL" in parts or "COUNT" in parts else until
    if "UNTIL" not in parts and "COUNT" not in parts and until is None:
        raise Bad(line, "this event is repeated for ever; say with until= up to which day the file is complete")
    from dateutil.rrule import rrulestr

    if "UNTIL" in parts:
        parts["UNTIL"] = parts["UNTIL"][:8]
    rule = ";".join(f"{key}={value}" for key, value in parts.items())
    try:
        moments = rrulestr(rule, dtstart=datetime.combine(start, time()), cache=False)
        for number, moment in enumerate(moments):
            if number > MOST_DAYS or (last is not None and moment.date() > last):
                return
            yield moment.date()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Bad(line, f"the rule {line.value} does not read ({error}); correct it, or write an event for each day") from None


def _date(line: Line, text: str | None = None) -> date:
    given = line.value if text is None else text.strip()
    if len(given) == 8 and given.isdigit():
        try:
            return date(int(given[:4]), int(given[4:6]), int(given[6:]))
        except ValueError:
            pass
    if "T" in given.upper():
        raise Bad(line, f"{line.name} is {given}, a time of day; only events of whole days (VALUE=DATE) are days off")
    raise Bad(line, f"{line.name} is {given!r}, which is no date; write it as YYYYMMDD")
