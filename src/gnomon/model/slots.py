"""What timetables speak in: intervals, restrictions, and the runs that they plan.

The three public types keep Airflow's names and fields (`airflow.timetables.base`).
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from gnomon.model.instants import Instant


class DataInterval(NamedTuple):
    """A stretch of data time, `start` inclusive and `end` exclusive; both aware."""

    start: datetime
    end: datetime

    @classmethod
    def exact(cls, at: datetime) -> DataInterval:
        """The empty interval at one instant."""
        return cls(start=at, end=at)


class TimeRestriction(NamedTuple):
    """Between which instants a DAG may be planned, and whether missed slots are made up."""

    earliest: datetime | None
    latest: datetime | None
    catchup: bool


class DagRunInfo(NamedTuple):
    """One run that a timetable asks for: not before `run_after`, about `data_interval`."""

    run_after: datetime
    data_interval: DataInterval | None
    partition_date: datetime | None = None
    partition_key: str | None = None

    @classmethod
    def exact(cls, at: datetime) -> DagRunInfo:
        """A run at `at` that is about that instant."""
        return cls(run_after=at, data_interval=DataInterval.exact(at))

    @classmethod
    def interval(cls, start: datetime, end: datetime) -> DagRunInfo:
        """A run about [start, end), possible from its end."""
        return cls(run_after=end, data_interval=DataInterval(start, end))

    @property
    def logical_date(self) -> datetime | None:
        """The start of the data interval; None for a run about no interval."""
        return self.data_interval.start if self.data_interval else None


class TimetableRef(msgspec.Struct, frozen=True, kw_only=True):
    """A timetable as stored: the class that `loading.load_class` resolves and what its `deserialize` takes."""

    path: str
    data: dict[str, object] = {}
    summary: str = ""
    description: str = ""
    can_be_scheduled: bool = True
    periodic: bool = True
    active_runs_limit: int | None = None
    builtin: bool = True
    """False for an author's class: it is asked in `userhost`, never here."""
    follows_runs: bool = False
    """Of an author's class: a slot is known only when the run before it has ended."""
    code: str = ""
    """Of an author's class: a digest of the source that defines it. With another one, it is asked anew."""
    granularity: str | None = None
    """Of an author's class: the kind that it declares (`timetables.granularity`). A built-in one knows its own."""
    timezone: str | int | None = None
    """Of an author's class: its `timezone` as `timetables.zones.encode_zone` writes it; None: it has none."""


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that planning decided on; instants in microseconds UTC."""

    run_id: str
    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    @property
    def logical_at(self) -> Instant | None:
        """The logical date: the start of the data interval."""
        return self.interval_start

    @property
    def slot_key(self) -> str:
        """What makes the run unique within its DAG: its logical date, or its run_after where it has none."""
        return str(self.run_after if self.interval_start is None else self.interval_start)

    @property
    def second_key(self) -> str:
        """What it is told apart by from an earlier planned run of the same logical date."""
        return f"{self.slot_key}/{self.run_after}"


class SkippedSlots(msgspec.Struct, frozen=True, kw_only=True):
    """Slots that were planned and not made, in one decision: due from `first` up to, and without, `until`."""

    first: Instant
    until: Instant
    count: int
    """COUNT_MOST stands for as many or more."""
    reason: str


MAX_COUNTED_SLOTS = 100
"""So many passed slots are counted, no more: an event says "100 or more"."""


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """The last slot that was planned for a DAG: every later question to its timetable starts from here."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None
