"""What a schedule means in Airflow 2, in Airflow 3, and here: the next runs with their `ds`."""

from __future__ import annotations

import datetime as dt
from itertools import islice
from typing import Any, NamedTuple

from gnomon.authoring.sdk.arguments.airflow_dialects import AirflowDialect
from gnomon.authoring.sdk.schedules.schedule_argument import parse_schedule
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import PlannedRun
from gnomon.rules.planning.window import iterate_runs_from
from gnomon.rules.timetables.base import BuiltinTimetable

RUNS = 3
"""Number of coming runs that are compared."""
_WINDOWS = tuple(days * 86400 * SECOND for days in (7, 70, 800))
"""A search begins so long before now; a longer one follows when the data intervals are long."""
_INTERVALS_IN_WINDOW = 5
_HORIZON = 10 * 366 * 86400 * SECOND


class NextRun(NamedTuple):
    """One coming run of a schedule."""

    run_after: dt.datetime
    ds: str
    """The logical date as `ds`: the start of the data interval, or the time of the run where there is none."""


def find_next_runs(schedule: Any, start: dt.datetime | None, dialect: int, now: Instant) -> list[NextRun]:
    """Return the next runs of a cron text or a timedelta in a dialect, with the defaults of that version of Airflow.

    `start`: the start date of the DAG. Raises ValueError or TypeError for a schedule that is not valid.
    """
    zone = start.tzinfo if start is not None and start.tzinfo is not None else dt.UTC
    timetable = parse_schedule(schedule, zone, _DefaultsOf(dialect))
    if not isinstance(timetable, BuiltinTimetable) or timetable.follows_runs or not timetable.can_be_scheduled:
        return []
    timetable.validate()
    next_runs = _find_first(timetable, schedule, None if start is None else to_instant(start), now)
    return [
        NextRun(
            to_datetime(run.run_after), _format_ds(run.run_after if run.interval_start is None else run.interval_start)
        )
        for run in next_runs
    ]


def _find_first(timetable: BuiltinTimetable, schedule: Any, start: Instant | None, now: Instant) -> list[PlannedRun]:
    """The first runs that are due after `now`. The search begins shortly before `now`, so that a schedule of years costs no more."""
    if isinstance(schedule, dt.timedelta):
        step = round(schedule.total_seconds() * SECOND)
        origin = now if start is None else start
        return _take(timetable, origin + max((now - origin) // step - 1, 0) * step, now)
    runs: list[PlannedRun] = []
    for window in _WINDOWS:
        begin = max(now - window, now - window if start is None else start)
        runs = _take(timetable, begin, now)
        if runs and (
            begin == start
            or all(
                run.run_after - (run.interval_start or run.run_after) < window // _INTERVALS_IN_WINDOW for run in runs
            )
        ):
            break
    return runs


def _take(timetable: BuiltinTimetable, begin: Instant, now: Instant) -> list[PlannedRun]:
    return list(
        islice((run for run in iterate_runs_from(timetable, begin, now + _HORIZON) if run.run_after > now), RUNS)
    )


class _DefaultsOf(AirflowDialect):
    """The defaults of one version of Airflow, whatever the options of this installation are."""

    def __new__(cls, number: int) -> _DefaultsOf:
        return super().__new__(cls, number)

    def read_boolean(self, section: str, key: str) -> bool:
        return self.number == 2


def _format_ds(at: Instant) -> str:
    return to_datetime(at).strftime("%Y-%m-%d")
