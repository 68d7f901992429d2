"""What there is to say about the calendar that a DAG's schedule follows."""

from __future__ import annotations

from gnomon.calendars import decode
from gnomon.calendars.ending import ending
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.slots import TimetableRef


def calendar_warnings(timetable: TimetableRef, now: Instant) -> list[str]:
    """That its calendar runs out of data within weeks, or has; empty for a schedule without a calendar."""
    stored = timetable.data.get("calendar")
    if not timetable.builtin or not isinstance(stored, dict):
        return []
    try:
        told = ending(decode(stored), to_datetime(now).date())
    except (AirflowTimetableInvalid, KeyError):
        return []  # planning says what is wrong with it
    return [told] if told is not None else []
