"""Timetables without a calendar: never, once, and again as soon as the last run ended."""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables.base import BuiltinTimetable

_MOMENT = timedelta(microseconds=1)


class _Simple(BuiltinTimetable):
    """No arguments; a manual run is about the instant it was asked for."""

    periodic = False

    def infer_manual(self, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)


class NullTimetable(_Simple):
    """Never runs by itself: `schedule=None`."""

    can_be_scheduled = False
    description = "Never, external triggers only"

    @property
    def summary(self) -> str:
        return "None"

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        return None


class OnceTimetable(_Simple):
    """Runs once, at the start date or else at once: `schedule="@once"`."""

    description = "Once, as soon as possible"

    @property
    def summary(self) -> str:
        return "@once"

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        moment = restriction.earliest or now
        if last is not None or (restriction.latest is not None and moment > restriction.latest):
            return None
        return DagRunInfo.exact(moment)


class ContinuousTimetable(_Simple):
    """Runs again as soon as the last run ended: `schedule="@continuous"`. An interval ends when its run is planned."""

    active_runs_limit = 1
    follows_runs = True
    description = "As frequently as possible, but only one run at a time."

    @property
    def summary(self) -> str:
        return "@continuous"

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        start = (restriction.earliest or now) if last is None else _next_start(last, now)
        end = max(start, now)
        if restriction.latest is not None and end > restriction.latest:
            return None
        return DagRunInfo.interval(start, end)


def _next_start(last: DagRunInfo, now: datetime) -> datetime:
    """Where the interval after `last` starts: at its end, or a moment later when both would start at one instant.

    (The first interval may be a point; the start is the logical date, which no two runs of a DAG share.)
    """
    if last.data_interval is None:
        return last.run_after
    start, end = last.data_interval
    return end + _MOMENT if start == end < now else end
