"""Exports runs as a calendar file (ICS, RFC 5545) for calendar programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import tzinfo

from gnomon.model.instants import Instant, to_datetime
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.local_time import format_local

LINE_BYTES = 75
"""Maximum length of a content line without its line break (RFC 5545, section 3.1)."""


def build_calendar_file(name: str, runs: Sequence[PlannedRun], zone: tzinfo) -> str:
    """The calendar file: one event a run, at the instant from which the run may start.

    Descriptions show local times of `zone`; DTSTART is in UTC. DTSTAMP, which should be the time of the export, is the start of
    the run, so that the same schedule always gives the same text.
    """
    return "".join(fold_line(line) for line in _lines(name, runs, zone))


def fold_line(line: str) -> str:
    """The line with its line break, folded so that no part is longer than LINE_BYTES octets; no character is split."""
    parts, current, size = list[str](), "", 0
    for character in line:
        width = len(character.encode())
        if size + width > LINE_BYTES:
            parts.append(current)
            current, size = " ", 1
        current, size = current + character, size + width
    return "\r\n".join([*parts, current]) + "\r\n"


def escape_value(text: str) -> str:
    """A text escaped as a value (RFC 5545, section 3.3.11), without control characters."""
    text = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\\n".join("".join(char for char in line if char.isprintable()) for line in lines)


def _lines(name: str, runs: Sequence[PlannedRun], zone: tzinfo) -> Iterator[str]:
    yield from ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Gnomon//timetables preview//EN", "CALSCALE:GREGORIAN")
    yield f"X-WR-CALNAME:{escape_value(name)}"
    for run in runs:
        yield "BEGIN:VEVENT"
        yield f"UID:{_uid(name, run)}"
        yield f"DTSTAMP:{_utc(run.run_after)}"
        yield f"DTSTART:{_utc(run.run_after)}"
        yield f"SUMMARY:{escape_value(name)}"
        yield f"DESCRIPTION:{escape_value(_words(run, zone))}"
        yield "TRANSP:TRANSPARENT"
        yield "END:VEVENT"
    yield "END:VCALENDAR"


def _uid(name: str, run: PlannedRun) -> str:
    origin = "|".join((name, run.slot_key, str(run.run_after)))
    return f"{hashlib.sha256(origin.encode()).hexdigest()[:32]}@gnomon"


def _utc(at: Instant) -> str:
    return f"{to_datetime(at):%Y%m%dT%H%M%SZ}"


def _words(run: PlannedRun, zone: tzinfo) -> str:
    words = f"{run.run_id}\nafter {format_local(run.run_after, zone)}"
    if run.interval_start != run.interval_end:
        words += f"\nabout {format_local(run.interval_start, zone)} to {format_local(run.interval_end, zone)}"
    return words
