"""The runs of a window: all of them, whatever began before it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta

from gnomon.calendars import Weekends
from gnomon.model.instants import SECOND, to_datetime, to_instant
from gnomon.model.slots import Cursor, DagRunInfo, PlannedRun, TimeRestriction
from gnomon.rules.planning import window
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.planning.window import iterate_runs_from, list_runs_in_window
from gnomon.timetables import (
    BusinessDays,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
)

MARCH = datetime(2024, 3, 10, 12, tzinfo=UTC)
AT = to_instant(MARCH)


def _moments(timetable: Timetable, **asked: object) -> list[str]:
    runs = list_runs_in_window(timetable, **{"start": AT, "most": 3, **asked}).runs  # type: ignore[arg-type]
    return [to_datetime(run.run_after).isoformat()[:16] for run in runs]


@pytest.mark.parametrize(
    ("timetable", "expected"),
    [
        (
            CronTriggerTimetable("0 12 * * *", timezone="UTC"),
            ["2024-03-10T12:00", "2024-03-11T12:00", "2024-03-12T12:00"],
        ),
        (CronDataIntervalTimetable("0 0 1 * *", "UTC"), ["2024-04-01T00:00", "2024-05-01T00:00", "2024-06-01T00:00"]),
        (CronDataIntervalTimetable("0 0 29 2 *", "UTC"), ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
        (BusinessDays(Weekends()), ["2024-03-11T00:00", "2024-03-12T00:00", "2024-03-13T00:00"]),
        (DeltaTriggerTimetable(timedelta(hours=5)), ["2024-03-10T12:00", "2024-03-10T17:00", "2024-03-10T22:00"]),
        (DeltaDataIntervalTimetable(timedelta(days=1)), ["2024-03-11T12:00", "2024-03-12T12:00", "2024-03-13T12:00"]),
        (OnceTimetable(), ["2024-03-10T12:00"]),
        (ContinuousTimetable(), ["2024-03-10T12:00"]),
        (NullTimetable(), []),
        (EventsTimetable([MARCH - timedelta(days=800), MARCH + timedelta(days=800)]), ["2026-05-19T12:00"]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Timetable) else "",
)
def test_the_first_run_is_the_first_that_is_due_in_the_window(timetable: Timetable, expected: list[str]) -> None:
    assert _moments(timetable) == expected


def test_a_span_is_counted_from_the_start_date_of_its_dag() -> None:
    start = to_instant(datetime(2020, 1, 1, 0, 30, tzinfo=UTC))
    assert _moments(DeltaTriggerTimetable(timedelta(days=1)), earliest=start) == [
        "2024-03-11T00:30",
        "2024-03-12T00:30",
        "2024-03-13T00:30",
    ]
    assert _moments(DeltaDataIntervalTimetable(timedelta(days=1)), earliest=start)[0] == "2024-03-11T00:30"
    assert _moments(DeltaTriggerTimetable(relativedelta(months=1)), earliest=start)[0] == "2024-04-01T00:30"


def test_the_walk_goes_on_from_the_last_planned_slot() -> None:
    at = to_instant(MARCH - timedelta(minutes=7))
    last = Cursor(run_after=at, interval_start=at, interval_end=at)
    assert _moments(DeltaTriggerTimetable(timedelta(hours=1)), last=last)[0] == "2024-03-10T12:53"


def test_bounds_of_the_dag_and_of_the_window_hold() -> None:
    cron = CronTriggerTimetable("0 * * * *", timezone="UTC")
    later, end = to_instant(MARCH + timedelta(hours=3)), to_instant(MARCH + timedelta(hours=5))
    assert _moments(cron, earliest=later, most=9, end=end) == ["2024-03-10T15:00", "2024-03-10T16:00"]
    assert _moments(cron, latest=later, most=9)[-1] == "2024-03-10T15:00"


@pytest.mark.parametrize(
    "timetable",
    [
        CronTriggerTimetable("* * * * *", timezone="Europe/Berlin"),
        CronDataIntervalTimetable("* * * * *", "UTC"),
        DeltaTriggerTimetable(timedelta(minutes=1)),
        DeltaDataIntervalTimetable(timedelta(minutes=1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_window_far_after_the_last_slot_is_reached_in_few_steps(
    timetable: Timetable, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = AT - 30 * SECOND
    first = list_runs_in_window(timetable, start=begin, most=1, earliest=begin).runs[0]
    last = Cursor(run_after=first.run_after, interval_start=first.interval_start, interval_end=first.interval_end)
    start = AT + 2 * 86400 * SECOND
    following = (run for run in iterate_runs_from(timetable, begin, None, last) if run.run_after >= start)
    by_steps = list(islice(following, 5))
    calls: list[object] = []

    def count(*asked: Any) -> PlannedRun | None:
        calls.append(asked)
        return ask_next(*asked)

    monkeypatch.setattr(window, "ask_next", count)
    assert list_runs_in_window(timetable, start=start, most=5, earliest=begin, last=last).runs == by_steps
    assert len(calls) < 70, "the hour before the window"


def test_an_authors_class_that_extends_a_built_in_one_is_asked_for_each_slot_after_the_last() -> None:
    class EveryOther(CronTriggerTimetable):
        def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
            following = super().plan_next(last, restriction, now)
            return following if last is None else super().plan_next(following, restriction, now)

    last = Cursor(run_after=AT - 86400 * SECOND, interval_start=None, interval_end=None)
    found = _moments(
        EveryOther("0 * * * *", timezone="UTC"), start=AT + 1, last=last, earliest=AT - 30 * 86400 * SECOND
    )
    assert found == ["2024-03-10T14:00", "2024-03-10T16:00", "2024-03-10T18:00"]
