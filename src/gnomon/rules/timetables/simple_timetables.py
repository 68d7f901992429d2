"""Timetables without a clock schedule: never, once, and again as soon as the last run has finished."""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import BuiltinTimetable

_MOMENT = timedelta(microseconds=1)


class _Simple(BuiltinTimetable):
    """A timetable without arguments; the data interval of a manual run is its own instant."""

    periodic = False

    def infer_manual(self, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)


class NullTimetable(_Simple):
    """Has no scheduled runs: `schedule=None`."""

    can_be_scheduled = False

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        return None


class OnceTimetable(_Simple):
    """Runs once, at the start date or, without one, at once: `schedule="@once"`."""

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        moment = restriction.earliest or now
        if last is not None or (restriction.latest is not None and moment > restriction.latest):
            return None
        return DagRunInfo.exact(moment)


class ContinuousTimetable(_Simple):
    """Runs again as soon as the last run has finished: `schedule="@continuous"`. An interval ends when its run is planned."""

    active_runs_limit = 1
    follows_runs = True

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        start = (restriction.earliest or now) if last is None else _next_start(last, now)
        end = max(start, now)
        if restriction.latest is not None and end > restriction.latest:
            return None
        return DagRunInfo.interval(start, end)


def _next_start(last: DagRunInfo, now: datetime) -> datetime:
    """The start of the interval after `last`: its end, or a microsecond later if both would start at the same instant.

    (The first interval may be empty; the start is the logical date, which must be unique in a DAG.)
    """
    if last.data_interval is None:
        return last.run_after
    start, end = last.data_interval
    return end + _MOMENT if start == end < now else end
