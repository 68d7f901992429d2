"""The values that timetables take and return: data intervals, restrictions, planned runs, cursors.

The three public types keep Airflow's names and fields (`airflow.timetables.base`).
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from gnomon.model.instants import Instant


class DataInterval(NamedTuple):
    """The data interval of a run: `start` inclusive, `end` exclusive; both aware."""

    start: datetime
    end: datetime

    @classmethod
    def exact(cls, at: datetime) -> DataInterval:
        """The empty interval at one instant."""
        return cls(start=at, end=at)


class TimeRestriction(NamedTuple):
    """The instants between which a DAG may be planned, and whether missed slots get runs."""

    earliest: datetime | None
    latest: datetime | None
    catchup: bool


class DagRunInfo(NamedTuple):
    """One run that a timetable plans: it starts at `run_after` or later, for `data_interval`."""

    run_after: datetime
    data_interval: DataInterval | None
    partition_date: datetime | None = None
    partition_key: str | None = None

    @classmethod
    def exact(cls, at: datetime) -> DagRunInfo:
        """A run at `at` with an empty data interval at that instant."""
        return cls(run_after=at, data_interval=DataInterval.exact(at))

    @classmethod
    def interval(cls, start: datetime, end: datetime) -> DagRunInfo:
        """A run for [start, end) that may start at `end`."""
        return cls(run_after=end, data_interval=DataInterval(start, end))

    @property
    def logical_date(self) -> datetime | None:
        """The start of the data interval; None for a run without one."""
        return self.data_interval.start if self.data_interval else None


class TimetableRef(msgspec.Struct, frozen=True, kw_only=True):
    """A stored timetable: the path of its class for `loading.load_class`, and the argument of its `deserialize`."""

    path: str
    data: dict[str, object] = {}
    summary: str = ""
    """For an author's class: its few words for listings; built-in classes have words of their own (`timetables.words`)."""
    description: str = ""
    """For an author's class: its sentence."""
    can_be_scheduled: bool = True
    periodic: bool = True
    active_runs_limit: int | None = None
    builtin: bool = True
    """False for an author's class: it runs in `timetable_host`, never in the scheduler."""
    follows_runs: bool = False
    """For an author's class: the next slot is known only when the previous run has ended."""
    has_partitions: bool = False
    """Its runs are of partitions, or their tasks name partitions: a run by hand may have a partition key."""
    code: str = ""
    """For an author's class: a digest of its source; when it changes, the slots are computed again."""
    granularity: str | None = None
    """For an author's class: the granularity that it declares (`timetables.granularity`); built-in classes compute theirs."""
    timezone: str | int | None = None
    """For an author's class: its `timezone`, encoded by `encode_zone` of `timetables.wall_clock.zones`; None: it has none."""

    @property
    def class_name(self) -> str:
        """The name of its class, without the module."""
        return self.path.rpartition(".")[2]

    @property
    def builtin_name(self) -> str | None:
        """The name of its class if that is a built-in one; None for an author's class."""
        return self.class_name if self.builtin else None

    @property
    def is_continuous(self) -> bool:
        """True if its next slot is known only when the previous run has ended."""
        return self.follows_runs or self.builtin_name == "ContinuousTimetable"


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run that planning decided to create; instants in microseconds UTC."""

    run_id: str
    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None
    partition_key: str | None = None
    partition_date: Instant | None = None
    """The start of the period that the partition key names; None when it names none."""

    @property
    def logical_at(self) -> Instant | None:
        """The logical date: the start of the data interval."""
        return self.interval_start

    @property
    def slot_key(self) -> str:
        """The unique key of the run within its DAG: its logical date, or its run_after if it has none."""
        return str(self.run_after if self.interval_start is None else self.interval_start)

    @property
    def second_key(self) -> str:
        """The key that distinguishes it from an earlier planned run with the same logical date."""
        return f"{self.slot_key}/{self.run_after}"


class SkippedSlots(msgspec.Struct, frozen=True, kw_only=True):
    """Slots that one planning decision skipped: due from `first` (inclusive) to `until` (exclusive)."""

    first: Instant
    until: Instant
    count: int
    """MAX_COUNTED_SLOTS means that many or more."""
    reason: str


MAX_COUNTED_SLOTS = 100
"""Skipped slots are counted up to this number: the audit log then says "100 or more"."""


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """The last slot that was planned for a DAG; planning continues from here."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    def move(self, by: int) -> Cursor:
        """The slot `by` microseconds later, with its interval."""
        start, end = self.interval_start, self.interval_end
        return Cursor(
            run_after=self.run_after + by,
            interval_start=None if start is None else start + by,
            interval_end=None if end is None else end + by,
        )
