"""Planned runs as records, and instants in the local time of a zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from itertools import pairwise

from gnomon.model.instants import SECOND, Instant, iso, to_datetime, to_instant
from gnomon.model.slots import PlannedRun

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A planned run of a schedule, with the field names of `RunRow`."""

    run_id: str
    run_after: str | None
    logical_date: str | None
    data_interval_start: str | None
    data_interval_end: str | None


def build_slot_row(run: PlannedRun) -> SlotRow:
    """The record of a planned run in JSON and YAML."""
    return SlotRow(
        run_id=run.run_id,
        run_after=iso(run.run_after),
        logical_date=iso(run.logical_at),
        data_interval_start=iso(run.interval_start),
        data_interval_end=iso(run.interval_end),
    )


def to_local(at: Instant, zone: tzinfo) -> datetime:
    """The instant as a datetime of the zone."""
    return to_datetime(at).astimezone(zone)


def format_local(at: Instant | None, zone: tzinfo) -> str:
    """`Mon 2026-03-02 02:30 +01:00`: with weekday and offset, so that clock changes are visible; "-" for None."""
    if at is None:
        return "-"
    moment = to_local(at, zone)
    offset = f"{moment:%z}"
    seconds = f":{moment:%S}" if moment.second or moment.microsecond else ""
    return f"{WEEKDAYS[moment.weekday()]} {moment:%Y-%m-%d %H:%M}{seconds} {offset[:3]}:{offset[3:5]}"


def has_intervals(runs: Sequence[PlannedRun]) -> bool:
    """Whether any of the runs has a data interval longer than zero."""
    return any(run.interval_start != run.interval_end for run in runs)


LISTED = 5
"""Maximum number of slots that are listed one by one; of more slots, the first, the last, the step and the count are shown."""


class DayClock:
    """The local time of a zone on one calendar day, from `start` to before `end`."""

    def __init__(self, zone: tzinfo, day: date) -> None:
        self.zone = zone
        self.day = day
        self.start, self.end = (
            to_instant(datetime(at.year, at.month, at.day, tzinfo=zone)) for at in (day, day + timedelta(1))
        )

    def at(self, instant: Instant) -> str:
        """`06:00`; `11-20 23:00` on another day; with the offset when the local time occurs twice."""
        moment = to_local(instant, self.zone)
        return moment.strftime("" if moment.date() == self.day else "%m-%d ") + format_clock_time(moment)

    def format_slots(self, slots: Sequence[Instant]) -> str:
        """Slots, given in ascending order, as text: "-", up to LISTED times, or a summary."""
        if len(slots) <= LISTED:
            return " ".join(map(self.at, slots)) or "-"
        gaps = {later - earlier for earlier, later in pairwise(slots)}
        step = f", each {_format_span(gaps.pop())}" if len(gaps) == 1 else ""
        return f"{self.at(slots[0])} to {self.at(slots[-1])}{step} ({len(slots)})"

    def window(self, start: Instant, end: Instant) -> str:
        """The window from `start` to before `end` in interval notation: `[` and `]` include their instant, `(` and `)` do not."""
        opening, first = ("(", start - 1) if start % SECOND == 1 else ("[", start)
        last, closing = (end - 1, "]") if end % SECOND == 1 else (end, ")")
        return f"{opening}{self.at(first)}, {'24:00' if last == self.end else self.at(last)}{closing}"


def format_clock_time(moment: datetime) -> str:
    """`02:30`, with seconds when they are not zero, and with the offset when the local time occurs twice."""
    seconds = f":{moment:%S}" if moment.second else ""
    twice = moment.replace(fold=0).utcoffset() != moment.replace(fold=1).utcoffset()
    return f"{moment:%H:%M}{seconds}" + (f"{moment:%z}"[:3] if twice else "")


def _format_span(length: int) -> str:
    minutes, rest = divmod(length, 60 * SECOND)
    if rest:
        return f"{length / SECOND:g} s"
    return f"{minutes // 60} h" if minutes % 60 == 0 else f"{minutes} min"
