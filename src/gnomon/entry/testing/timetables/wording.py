"""Calls of a timetable as Python text that can be run again, and runs and instants in sentences."""

from __future__ import annotations

from datetime import UTC, datetime

from gnomon.model.instants import Instant, iso, to_datetime
from gnomon.model.slots import PlannedRun, TimeRestriction

IMPORTS = (
    "from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction; from datetime import UTC, datetime"
)
"""The imports that the calls need."""


def format_datetime(at: datetime | Instant | None) -> str:
    """The Python expression of a UTC datetime."""
    if at is None:
        return "None"
    value = (to_datetime(at) if isinstance(at, int) else at).astimezone(UTC)
    parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    while len(parts) > 3 and parts[-1] == 0:
        parts.pop()
    return f"datetime({', '.join(map(str, parts))}, tzinfo=UTC)"


def describe_instant(at: Instant | None) -> str:
    """An instant in a sentence."""
    text = iso(at)
    return "none" if text is None else text.removesuffix("+00:00").removesuffix(".000000") + "Z"


def format_restriction(bounds: TimeRestriction) -> str:
    """The Python expression of a restriction."""
    earliest, latest, catchup = bounds
    return f"TimeRestriction({format_datetime(earliest)}, {format_datetime(latest)}, {catchup})"


def format_interval(run: PlannedRun) -> str:
    """The Python expression of a run's data interval."""
    if run.interval_start is None:
        return "None"
    return f"DataInterval({format_datetime(run.interval_start)}, {format_datetime(run.interval_end)})"


def describe_slot(run: PlannedRun | None) -> str:
    """A run in a sentence."""
    if run is None:
        return "no run"
    if run.interval_start is None or run.interval_start == run.interval_end == run.run_after:
        return f"a run at {describe_instant(run.run_after)}"
    return f"a run at {describe_instant(run.run_after)} with data interval {describe_instant(run.interval_start)} to {describe_instant(run.interval_end)}"


def format_next_call(name: str, last: PlannedRun | None, bounds: TimeRestriction, now: Instant | None) -> str:
    """The call for the run after `last`; `now` is None for an author's timetable, which does not receive it."""
    if now is None:
        interval = "None" if last is None else format_interval(last)
        return f"{name}.next_dagrun_info(last_automated_data_interval={interval}, restriction={format_restriction(bounds)})"
    info = "None" if last is None else f"DagRunInfo({format_datetime(last.run_after)}, {format_interval(last)})"
    return f"{name}.plan_next({info}, {format_restriction(bounds)}, {format_datetime(now)})"


def format_manual_call(name: str, run_after: Instant) -> str:
    """The call for the data interval of a manual run."""
    return f"{name}.infer_manual_data_interval(run_after={format_datetime(run_after)})"
