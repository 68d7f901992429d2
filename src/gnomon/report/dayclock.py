"""Instants around one day as a person reads them: by the clock of a zone, with the date only where it is another one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import pairwise

from gnomon.model.instants import SECOND, Instant, to_instant
from gnomon.report.slots import local

LISTED = 5
"""So many slots are named one by one; more are told by their ends, their step and their number."""


class DayClock:
    """The clock of a zone, read on one natural day."""

    def __init__(self, zone: tzinfo, day: date) -> None:
        self.zone = zone
        self.day = day
        self.start, self.end = (to_instant(datetime(at.year, at.month, at.day, tzinfo=zone)) for at in (day, day + timedelta(1)))

    def at(self, instant: Instant) -> str:
        """`06:00`; `11-20 23:00` on another day; with the offset where the clock shows that time twice."""
        moment = local(instant, self.zone)
        return moment.strftime("" if moment.date() == self.day else "%m-%d ") + clock_time(moment)

    def several(self, slots: Sequence[Instant]) -> str:
        """Slots in ascending order."""
        if len(slots) <= LISTED:
            return " ".join(map(self.at, slots)) or "-"
        gaps = {later - earlier for earlier, later in pairwise(slots)}
        step = f", each {_span(gaps.pop())}" if len(gaps) == 1 else ""
        return f"{self.at(slots[0])} to {self.at(slots[-1])}{step} ({len(slots)})"

    def window(self, start: Instant, end: Instant) -> str:
        """A stretch from `start` to before `end`: `[` and `]` include their instant, `(` and `)` do not."""
        opening, first = ("(", start - 1) if start % SECOND == 1 else ("[", start)
        last, closing = (end - 1, "]") if end % SECOND == 1 else (end, ")")
        return f"{opening}{self.at(first)}, {'24:00' if last == self.end else self.at(last)}{closing}"


def clock_time(moment: datetime) -> str:
    """`02:30`, with seconds if there are any, and with the offset in an hour that comes twice."""
    seconds = f":{moment:%S}" if moment.second else ""
    twice = moment.replace(fold=0).utcoffset() != moment.replace(fold=1).utcoffset()
    return f"{moment:%H:%M}{seconds}" + (f"{moment:%z}"[:3] if twice else "")


def _span(length: int) -> str:
    minutes, rest = divmod(length, 60 * SECOND)
    if rest:
        return f"{length / SECOND:g} s"
    return f"{minutes // 60} h" if minutes % 60 == 0 else f"{minutes} min"
