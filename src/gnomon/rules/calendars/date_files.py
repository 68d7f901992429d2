"""Dates from the text of a CSV file or an iCalendar (ICS) file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from gnomon.model.errors.timetable import AirflowTimetableInvalid

DATE_COLUMN = "date"
"""The column that has the dates if the first line names columns; otherwise the first column."""
_COMMENT = "#"


def read_csv_dates(text: str, name: str) -> list[date]:
    """The dates of a CSV text: one per line as `YYYY-MM-DD`, in the column `date` or in the first column.

    Empty lines and lines that begin with `#` are ignored. `name`: the file in messages. Raises AirflowTimetableInvalid with
    the number of the first invalid line.
    """
    dates: list[date] = []
    column = 0
    lines = csv.reader(text.removeprefix("\ufeff").splitlines(), skipinitialspace=True)
    first = True
    for row in lines:
        if not any(cell.strip() for cell in row) or row[0].startswith(_COMMENT):
            continue
        if first:
            first = False
            names = [cell.strip().lower() for cell in row]
            if DATE_COLUMN in names:
                column = names.index(DATE_COLUMN)
                continue
        cell = row[column].strip() if column < len(row) else ""
        try:
            dates.append(date.fromisoformat(cell))
        except ValueError:
            raise AirflowTimetableInvalid(
                f"{name}, line {lines.line_num}: {cell!r} is not a date; write it as YYYY-MM-DD in the first column, or in "
                f"the column that the first line names {DATE_COLUMN!r}"
            ) from None
    return dates


MAX_DAYS = 20_000
"""Most days off of one file: about fifty years without a business day."""
_DAY = timedelta(1)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?")


class IcsProperty(NamedTuple):
    """One property of an iCalendar file: `NAME;parameters:value`."""

    number: int
    """Number of its first line in the file."""
    name: str
    parameters: str
    value: str


class UnreadableProperty(Exception):
    """A property is not valid, or not supported."""

    def __init__(self, line: IcsProperty, why: str) -> None:
        super().__init__(why)
        self.line = line


def read_ics_dates(text: str, name: str, *, until: date | None = None) -> list[date]:
    """The days of all-day events, in order: single days, several days (DTEND is the day after), and yearly events.

    `until`: the last day of a yearly event without an end. Cancelled events are ignored. Raises AirflowTimetableInvalid with
    `name` (the file) and the line of the first property that is invalid or does not describe whole days.
    """
    days: set[date] = set()
    for event in _read_events(text, name):
        try:
            days.update(_event_days(event, until))
        except UnreadableProperty as error:
            raise AirflowTimetableInvalid(f"{name}, line {error.line.number}: {error}") from None
        if len(days) > MAX_DAYS:
            raise AirflowTimetableInvalid(f"{name}: its events have more than {MAX_DAYS} days; give an earlier until=")
    return sorted(days)


def _read_events(text: str, name: str) -> Iterator[dict[str, list[IcsProperty]]]:
    """The properties of each VEVENT, by name."""
    event: dict[str, list[IcsProperty]] | None = None
    has_calendar = False
    for line in _unfold(text):
        if line.name == "BEGIN":
            has_calendar = has_calendar or line.value.upper() == "VCALENDAR"
            event = {"BEGIN": [line]} if line.value.upper() == "VEVENT" else event
        elif line.name == "END" and line.value.upper() == "VEVENT" and event is not None:
            yield event
            event = None
        elif event is not None:
            event.setdefault(line.name, []).append(line)
    if not has_calendar:
        raise AirflowTimetableInvalid(
            f"{name} has no BEGIN:VCALENDAR; give an iCalendar file, or a CSV file with the suffix .csv"
        )


def _unfold(text: str) -> Iterator[IcsProperty]:
    """The properties; a line that begins with a space continues the property of the line before."""
    whole: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if line[:1] in (" ", "\t") and whole:
            whole[-1] = (whole[-1][0], whole[-1][1] + line[1:])
        elif line.strip():
            whole.append((number, line))
    for number, line in whole:
        head, _, value = line.partition(":")
        name, _, parameters = head.partition(";")
        yield IcsProperty(number, name.strip().upper(), parameters.upper(), value.strip())


def _event_days(event: dict[str, list[IcsProperty]], until: date | None) -> Iterator[date]:
    """The days of one event."""
    if any(line.value.upper() == "CANCELLED" for line in event.get("STATUS", [])):
        return
    for name in ("RDATE", "RECURRENCE-ID", "EXRULE"):
        for line in event.get(name, []):
            raise UnreadableProperty(line, f"{name} is not supported; write an event for each of its days")
    begin = event.get("DTSTART")
    if not begin:
        raise UnreadableProperty(event["BEGIN"][0], "this event has no DTSTART; give it the day on which it begins")
    start = _parse_date(begin[0])
    length = _length(event, start)
    without = {_parse_date(line, part) for line in event.get("EXDATE", []) for part in line.value.split(",")}
    for first in _event_starts(event, start, until):
        if first not in without:
            yield from (first + _DAY * number for number in range(length))


def _length(event: dict[str, list[IcsProperty]], start: date) -> int:
    """The length of the event in days."""
    if "DTEND" in event:
        line = event["DTEND"][0]
        days = (_parse_date(line) - start).days
        if not 0 <= days <= MAX_DAYS:
            raise UnreadableProperty(
                line, f"this event ends on {line.value} and begins on {start.isoformat()}; correct one of the two"
            )
        return max(days, 1)
    if "DURATION" in event:
        line = event["DURATION"][0]
        read = _DURATION.fullmatch(line.value.upper())
        days = 7 * int(read[1] or 0) + int(read[2] or 0) if read else 0
        if not 1 <= days <= MAX_DAYS:
            raise UnreadableProperty(
                line, f"the duration {line.value} is not a number of whole days; write it like P2D"
            )
        return days
    return 1


def _event_starts(event: dict[str, list[IcsProperty]], start: date, until: date | None) -> Iterator[date]:
    """The first day of each occurrence of the event."""
    rules = event.get("RRULE", [])
    if not rules:
        yield start
        return
    line = rules[0]
    parts = dict(part.partition("=")[::2] for part in line.value.upper().split(";") if part)
    if len(rules) > 1 or parts.get("FREQ") != "YEARLY":
        raise UnreadableProperty(
            line, "only events that repeat each year (FREQ=YEARLY) are supported; write an event for each day"
        )
    last = None if "UNTIL" in parts or "COUNT" in parts else until
    if "UNTIL" not in parts and "COUNT" not in parts and until is None:
        raise UnreadableProperty(
            line, "this event has no end; give with until= the day up to which the file is complete"
        )
    from dateutil.rrule import rrulestr  # start-up cost: few files have recurring events

    if "UNTIL" in parts:
        parts["UNTIL"] = parts["UNTIL"][:8]
    rule = ";".join(f"{key}={value}" for key, value in parts.items())
    try:
        moments = rrulestr(rule, dtstart=datetime.combine(start, time()), cache=False)
        for number, moment in enumerate(moments):
            if number > MAX_DAYS or (last is not None and moment.date() > last):
                return
            yield moment.date()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableProperty(
            line, f"the rule {line.value} is not valid ({error}); correct it, or write an event for each day"
        ) from None


def _parse_date(line: IcsProperty, text: str | None = None) -> date:
    date_text = line.value if text is None else text.strip()
    if len(date_text) == 8 and date_text.isdigit():
        try:
            return date(int(date_text[:4]), int(date_text[4:6]), int(date_text[6:]))
        except ValueError:
            pass
    if "T" in date_text.upper():
        raise UnreadableProperty(
            line, f"{line.name} is {date_text}, a time of day; only events of whole days (VALUE=DATE) are days off"
        )
    raise UnreadableProperty(line, f"{line.name} is {date_text!r}, which is not a date; write it as YYYYMMDD")
