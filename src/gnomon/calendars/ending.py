"""How long before a calendar runs out of data people are told."""

from __future__ import annotations

from datetime import date

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.coverage import Coverage

WARN_WEEKS = 6
"""From so many weeks before its last covered day on, whoever looks at a DAG is told."""


def ending(calendar: Calendar, today: date) -> str | None:
    """That the calendar ends soon, or has ended, and what to do; None while there is time."""
    last = calendar.last_day
    if last is None or (last - today).days > 7 * WARN_WEEKS:
        return None
    source = min((one for one in calendar.coverages if one.last is not None), key=_last)
    left = (last - today).days
    when = f"{left} day{'s' if left != 1 else ''} from now" if left >= 0 else "which is past"
    return (
        f"calendar {calendar.label} knows its days up to {last.isoformat()}, {when}, and no run is planned beyond: "
        f"{source.source} ends there; {source.remedy}"
    )


def _last(coverage: Coverage) -> date:
    assert coverage.last is not None
    return coverage.last
