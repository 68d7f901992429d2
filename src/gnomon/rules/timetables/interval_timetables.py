"""Timetables with consecutive data intervals and a run at the end of each (Airflow 2's default for a schedule)."""

from __future__ import annotations

from abc import abstractmethod
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import SteppingTimetable
from gnomon.rules.timetables.business.calendar_mixin import calendar_arguments
from gnomon.rules.timetables.cron_timetable import CronTimetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable, days_arguments
from gnomon.rules.timetables.spans import (
    Span,
    add_span,
    compute_fixed_seconds,
    decode_span,
    encode_span,
    subtract_span,
)
from gnomon.rules.timetables.wall_clock.zones import encode_zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_STEPS_BACK = 8
"""Most steps back to the newest complete interval with a calendar."""


class DataIntervalTimetable(SteppingTimetable):
    """A run is due when its data interval is complete; the next interval follows the last (airflow-surface.md B.3)."""

    @abstractmethod
    def _newest_start(self, earliest: datetime | None, now: datetime) -> datetime | None:
        """The start of the newest interval that is complete at `now`, or the first start after `earliest` if that is later."""

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        earliest, latest, catchup = restriction
        if not catchup:
            start = self._newest_start(earliest, now)
        else:
            start = None if earliest is None else self._align_up(earliest)
        if last is not None and last.data_interval is not None:
            start = self._following(last.data_interval, start)
        if start is None or (latest is not None and start > latest):
            return None
        end = self._next(start)
        return None if end is None else DagRunInfo(end, DataInterval(start, end))

    def _following(self, last: DataInterval, start: datetime | None) -> datetime | None:
        """The start after the last interval: its end, aligned to the schedule, which may have changed since."""
        follows = self._align_down(last.end)
        if follows is not None and follows <= last.start:
            follows = self._next(follows)
        if start is None or (follows is not None and follows > start):
            return follows
        return start


class CronDataIntervalTimetable(DataIntervalTimetable, CronTimetable):
    """Each interval is the time between two consecutive instants of a cron expression.

    With `calendar=`, between two consecutive instants that remain, so that the intervals leave no gap.
    """

    def __init__(
        self,
        cron: str | None = None,
        timezone: object = None,
        *,
        calendar: object = None,
        on_holiday: str = "skip",
        expression: str | None = None,
    ) -> None:
        """`expression`: the name that `cron` has in airflow.sdk. Raises TypeError when not exactly one of them is given, or no time zone."""
        expressions = [text for text in (cron, expression) if text is not None]
        if len(expressions) != 1 or timezone is None:
            raise TypeError(
                f"{type(self).__name__} takes a cron expression as text, such as '0 0 * * *' (cron= or expression=), and a timezone"
            )
        super().__init__(expressions[0], timezone, calendar, on_holiday)

    def serialize(self) -> dict[str, Any]:
        return {
            "expression": self._expression,
            "timezone": encode_zone(self._timezone),
            **self._calendar_data(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(data["expression"], data["timezone"], **calendar_arguments(data))

    def infer_manual(self, run_after: datetime) -> DataInterval:
        end = self._align_down(run_after)
        start = None if end is None else self._before(end)
        return DataInterval.exact(run_after) if end is None or start is None else DataInterval(start, end)

    def _newest_start(self, earliest: datetime | None, now: datetime) -> datetime | None:
        ended = self._align_down(now)
        newest = None if ended is None else self._before(ended)
        start = None if earliest is None else self._align_up(earliest)
        if newest is None or (start is not None and start > newest):
            return start
        return newest


class DeltaDataIntervalTimetable(DataIntervalTimetable, DeltaTimetable):
    """Each interval is one span long. The first begins at the start date.

    Without catchup, as in Airflow 3.3, intervals of a fixed length are on a grid from 1970-01-01T00:00Z; intervals of months
    or years are counted from the start date, or from the first evaluation if there is none. With `calendar=`, an interval
    ends at the next remaining run: it may be several spans long, and the intervals leave no gap. Days are those of
    `timezone`.
    """

    def __init__(
        self, delta: Span, *, calendar: object = None, on_holiday: str = "skip", timezone: object = "UTC"
    ) -> None:
        super().__init__(delta, calendar, on_holiday, timezone)

    def serialize(self) -> dict[str, Any]:
        return {"delta": encode_span(self._delta), **self._days_data()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(decode_span(data["delta"]), **days_arguments(data))

    def infer_manual(self, run_after: datetime) -> DataInterval:
        end = self._align_down(run_after)
        return DataInterval(self._before(end), end)

    def _newest_start(self, earliest: datetime | None, now: datetime) -> datetime | None:
        self._require_steps()
        if self._calendar is not None:
            return self._newest_kept(earliest, now)
        length_s = compute_fixed_seconds(self._delta)
        if length_s is None:
            return subtract_span(now, self._delta) if earliest is None else self._newest_step(earliest, now)
        length = timedelta(seconds=length_s)
        newest = _EPOCH + (now - _EPOCH) // length * length - length
        return newest if earliest is None else max(newest, earliest)

    def _newest_step(self, start: datetime, now: datetime) -> datetime:
        """The last start, counted from `start` in spans of months or years, whose interval is complete at `now`."""
        end = add_span(start, self._delta)
        while (following := add_span(end, self._delta)) <= now:
            start, end = end, following
        return start

    def _newest_kept(self, earliest: datetime | None, now: datetime) -> datetime:
        """The newest start, with the calendar applied, whose interval is complete at `now`; not before `earliest`."""
        length_s = compute_fixed_seconds(self._delta)
        grid = timedelta(seconds=length_s) if length_s is not None else timedelta.resolution
        start = self._before(self._align_down(_EPOCH + (now - _EPOCH) // grid * grid))
        for _ in range(MAX_STEPS_BACK):
            if self._next(start) <= now:
                break
            start = self._before(start)
        end = self._next(start)
        while (following := self._next(end)) <= now:
            start, end = end, following
        return start if earliest is None else max(start, self._align_up(earliest))
