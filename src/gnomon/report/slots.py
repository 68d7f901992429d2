"""Planned runs as records and as a person reads them: by the clock on the wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from gnomon.model.instants import Instant, iso, to_datetime
from gnomon.model.slots import PlannedRun

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class SlotRow:
    """One run of a schedule; the names are those of a run's record."""

    run_id: str
    run_after: str | None
    logical_date: str | None
    data_interval_start: str | None
    data_interval_end: str | None


def slot_row(run: PlannedRun) -> SlotRow:
    """A planned run as documents carry it."""
    return SlotRow(
        run_id=run.run_id, run_after=iso(run.run_after), logical_date=iso(run.logical_at),
        data_interval_start=iso(run.interval_start), data_interval_end=iso(run.interval_end),
    )  # fmt: skip


def local(at: Instant, zone: tzinfo) -> datetime:
    """The instant by the clocks of the zone."""
    return to_datetime(at).astimezone(zone)


def wall(at: Instant | None, zone: tzinfo) -> str:
    """`Mon 2026-03-02 02:30 +01:00`: the day of the week and the offset say what a clock change does."""
    if at is None:
        return "-"
    moment = local(at, zone)
    offset = f"{moment:%z}"
    seconds = f":{moment:%S}" if moment.second or moment.microsecond else ""
    return f"{WEEKDAYS[moment.weekday()]} {moment:%Y-%m-%d %H:%M}{seconds} {offset[:3]}:{offset[3:5]}"


def covering(runs: Sequence[PlannedRun]) -> bool:
    """Whether any of the runs is about a stretch of time."""
    return any(run.interval_start != run.interval_end for run in runs)
