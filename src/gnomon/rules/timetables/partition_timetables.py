"""Timetables whose runs are of partitions: `partition_key` says which, and runs have no data interval."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from gnomon.model.errors.authoring import InvalidPartitionKeyError
from gnomon.model.slots import DagRunInfo, TimeRestriction
from gnomon.rules.timetables.simple_timetables import NullTimetable
from gnomon.rules.timetables.trigger_timetables import CronTriggerTimetable, decode_immediately, encode_immediately
from gnomon.rules.timetables.wall_clock.zones import encode_zone, to_utc

OFFSET_MAX = 2_000
"""More than the minutes of a day."""
DEFAULT_KEY_FORMAT = "%Y-%m-%dT%H:%M:%S"


class CronPartitionTimetable(CronTriggerTimetable):
    """Runs at the instants of a cron expression, each for one partition.

    `run_offset`: for which instant, counted from that of the run: -1 is the one before. `key_format`: how `strftime` writes the
    instant as the key, in `timezone`. (When clocks go back, two instants of an hourly expression have one key, unless the format has `%z`.)
    """

    partitioned = True

    def __init__(
        self,
        cron: str,
        *,
        timezone: object,
        run_offset: int | None = None,
        run_immediately: bool | timedelta | None = False,
        key_format: str = DEFAULT_KEY_FORMAT,
    ) -> None:
        super().__init__(cron, timezone=timezone, run_immediately=run_immediately)
        if run_offset is not None and (isinstance(run_offset, bool) or not isinstance(run_offset, int)):
            raise ValueError(
                f"Run offset other than integer not supported yet: CronPartitionTimetable got run_offset={run_offset!r}; give a number of ticks"
            )
        if abs(run_offset or 0) > OFFSET_MAX:
            raise ValueError(
                f"CronPartitionTimetable got run_offset={run_offset}; give at most {OFFSET_MAX:,} ticks, which are counted for each run"
            )
        self._run_offset = run_offset or 0
        self._key_format = key_format

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        info = super().plan_next(last, restriction, now)
        return None if info is None else self.make_info(info.run_after)

    def iter_partition_dagrun_infos(self, *, earliest: datetime, latest: datetime) -> Iterator[DagRunInfo]:
        """One run for each partition whose date is from `earliest` to `latest` (both inclusive, read as wall-clock times of `timezone`)."""
        last = self.localize_partition_datetime(latest)
        date = self._align_up(self.localize_partition_datetime(earliest))
        while date is not None and date <= last:
            yield DagRunInfo(date, None, date, self._format_key(date))
            date = self._next(date)

    def localize_partition_datetime(self, dt: datetime) -> datetime:
        """The instant (UTC) at which clocks of `timezone` show the wall-clock time of `dt`."""
        return dt.replace(tzinfo=self._timezone).astimezone(UTC)

    def generate_run_id(
        self,
        *,
        run_type: Any,
        run_after: datetime | None = None,
        data_interval: Any = None,
        logical_date: datetime | None = None,
        **extra: Any,
    ) -> str:
        """The run type, `run_after` and the partition key."""
        run_id = super().generate_run_id(
            run_type=run_type, run_after=run_after, data_interval=data_interval, logical_date=logical_date
        )
        key = extra.get("partition_key")
        return f"{run_id}__{key}" if key else run_id

    def serialize(self) -> dict[str, Any]:
        return {
            "expression": self._expression,
            "timezone": encode_zone(self._timezone),
            "run_immediately": encode_immediately(self._run_immediately),
            "run_offset": self._run_offset,
            "key_format": self._key_format,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            data["expression"],
            timezone=data["timezone"],
            run_offset=data["run_offset"],
            run_immediately=decode_immediately(data.get("run_immediately", False)),
            key_format=data["key_format"],
        )

    def make_info(self, run_after: datetime) -> DagRunInfo | None:
        """The run at that instant with its partition; None if the expression has no instant so far away."""
        date: datetime | None = run_after
        for _ in range(abs(self._run_offset)):
            if date is None:
                return None
            date = self._next(date) if self._run_offset > 0 else self._align_down(date - timedelta(microseconds=1))
        return None if date is None else DagRunInfo(run_after, None, date, self._format_key(date))

    def _format_key(self, date: datetime) -> str:
        return date.astimezone(self._timezone).strftime(self._key_format)

    def _decode_partition_date(self, partition_key: str) -> datetime:
        try:
            moment = datetime.strptime(partition_key, self._key_format)  # noqa: DTZ007 - the zone follows
        except ValueError as error:
            raise InvalidPartitionKeyError(
                f"Partition key {partition_key!r} does not match the timetable's key_format {self._key_format!r}: {error}"
            ) from error
        return to_utc(moment) if moment.tzinfo is not None else self.localize_partition_datetime(moment)


class PartitionedAtRuntime(NullTimetable):
    """Has no scheduled runs; the tasks of a run say to which partitions their asset events belong (`add_partitions`)."""

    partitioned_at_runtime = True
