"""Timetables with runs at instants, where the data interval is secondary (Airflow 3's default for a schedule)."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime, timedelta
from typing import Any, Self

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import SteppingTimetable
from gnomon.rules.timetables.business.calendar_mixin import calendar_arguments
from gnomon.rules.timetables.cron_timetable import CronTimetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable, days_arguments
from gnomon.rules.timetables.spans import Span, decode_span, encode_span, subtract_span
from gnomon.rules.timetables.wall_clock.zones import encode_zone

_MOMENT = timedelta(microseconds=1)
_DAY = timedelta(days=1)


class TriggerTimetable(SteppingTimetable):
    """Runs at instants; the data interval of a run is the `interval` before its instant (airflow-surface.md B.3)."""

    _interval: Span

    @property
    def reach(self) -> Span:
        """How far the data interval of a run reaches back, if that is a fixed span."""
        return self._interval

    @abstractmethod
    def _first(self, now: datetime) -> datetime | None:
        """The first slot of a DAG that has neither a start date nor a run."""

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        earliest, latest, catchup = restriction
        if last is not None:
            ended = last.data_interval.end if last.data_interval is not None else last.run_after
            chosen = self._next(ended)
        elif earliest is None:
            chosen = self._first(now)
        else:
            chosen = self._align_up(earliest)
        if chosen is not None and last is not None and earliest is not None and earliest > chosen:
            chosen = self._align_up(earliest)
        if chosen is None:
            return None
        if not catchup and chosen < now:
            chosen = max(chosen, self._align_down(now) or chosen)
        if latest is not None and chosen > latest:
            return None
        about = self._about(chosen)
        return DagRunInfo(chosen, about if about.start is chosen else _begun_after(about, last))

    def _about(self, slot: datetime) -> DataInterval:
        """The data interval of the run at `slot`, which ends there."""
        return DataInterval(subtract_span(slot, self._interval) if self._interval else slot, slot)

    def infer_manual(self, run_after: datetime) -> DataInterval:
        return DataInterval(subtract_span(run_after, self._interval), run_after)


def _begun_after(interval: DataInterval, last: DagRunInfo | None) -> DataInterval:
    """The interval; if it does not start after the last one because of a short month, it starts a microsecond after that.

    One month before 30 October and one before 31 October are both 30 September. The start is the logical date, which must
    be unique in a DAG: Airflow loses the second of these runs.
    """
    if last is None or last.data_interval is None:
        return interval
    behind = last.data_interval.start - interval.start
    begins = last.data_interval.start + _MOMENT
    return DataInterval(begins, interval.end) if timedelta() <= behind < _DAY and begins < interval.end else interval


class CronTriggerTimetable(TriggerTimetable, CronTimetable):
    """Runs at the instants of a cron expression.

    `interval`: how far the data interval reaches back from there. `run_immediately` defines the first run of a DAG without
    a start date. True: the newest past instant. A timedelta: the newest past instant if it is not older than that, else the
    next instant. False and None, as in Airflow 3.3: the same with a tenth of the period, at least five minutes.
    """

    def __init__(
        self,
        cron: str,
        *,
        timezone: object,
        interval: Span = timedelta(),
        run_immediately: bool | timedelta | None = False,
        calendar: object = None,
        on_holiday: str = "skip",
    ) -> None:
        super().__init__(cron, timezone, calendar, on_holiday)
        self._interval = interval
        self._run_immediately = run_immediately

    def serialize(self) -> dict[str, Any]:
        return {
            "expression": self._expression,
            "timezone": encode_zone(self._timezone),
            "interval": encode_span(self._interval),
            "run_immediately": encode_immediately(self._run_immediately),
            **self._calendar_data(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            data["expression"],
            timezone=data["timezone"],
            interval=decode_span(data.get("interval", 0.0)),
            run_immediately=decode_immediately(data.get("run_immediately", False)),
            **calendar_arguments(data),
        )

    def _first(self, now: datetime) -> datetime | None:
        past, upcoming = self._align_down(now), self._align_up(now)
        if past is None or upcoming is None:
            return upcoming
        if self._run_immediately is True:
            return past
        max_age = self._run_immediately or max((upcoming - past) / 10, timedelta(minutes=5))
        return past if now - past <= max_age else upcoming


class DeltaTriggerTimetable(TriggerTimetable, DeltaTimetable):
    """Runs a fixed span after the run before; there is no grid, so all slots are counted from the first run.

    With `calendar=`, a run on a day off is skipped or moved, and the span is counted from the moved run before. Days are
    those of `timezone`.
    """

    def __init__(
        self,
        delta: Span,
        *,
        interval: Span = timedelta(),
        calendar: object = None,
        on_holiday: str = "skip",
        timezone: object = "UTC",
    ) -> None:
        super().__init__(delta, calendar, on_holiday, timezone)
        self._interval = interval

    def serialize(self) -> dict[str, Any]:
        return {"delta": encode_span(self._delta), "interval": encode_span(self._interval), **self._days_data()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(decode_span(data["delta"]), interval=decode_span(data.get("interval", 0.0)), **days_arguments(data))

    def _first(self, now: datetime) -> datetime | None:
        return self._align_up(now)


def encode_immediately(value: bool | timedelta | None) -> bool | float | None:
    """JSON of `run_immediately`: a timedelta as seconds."""
    return value.total_seconds() if isinstance(value, timedelta) else value


def decode_immediately(data: bool | float | None) -> bool | timedelta | None:
    """The `run_immediately` that `encode_immediately` encoded."""
    return data if isinstance(data, bool) or data is None else timedelta(seconds=data)
