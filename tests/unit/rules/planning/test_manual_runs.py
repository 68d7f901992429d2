"""Which slot has a logical date: every planned run's own, and nothing for any other instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta

from gnomon.calendars import Weekends
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.rules.dependencies.planned_slots import PlannedSlots
from gnomon.rules.planning import Slot, find_slot_by_due_time, find_slot_by_logical_date
from gnomon.rules.planning.window import iterate_runs_from, list_runs_in_window
from gnomon.timetables import (
    BusinessDays,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DagRunInfo,
    Daily,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    DiscreteHours,
    EventsTimetable,
    Hourly,
    Minutely,
    Monthly,
    MultipleCronTriggerTimetable,
    Timetable,
)

MARCH = datetime(2024, 3, 8, 12, tzinfo=UTC)
AT = to_instant(MARCH)
HOUR, DAY = 3600 * SECOND, 86400 * SECOND
BERLIN = ZoneInfo("Europe/Berlin")
GRIDS: dict[str, Timetable] = {
    "cron": CronTriggerTimetable("*/20 6-18 * * 1-5", timezone=BERLIN),
    "cron_with_a_span": CronTriggerTimetable("0 3 * * *", timezone=BERLIN, interval=timedelta(hours=30)),
    "cron_with_a_month": CronTriggerTimetable("0 */6 * * *", timezone="UTC", interval=relativedelta(months=1)),
    "crons": MultipleCronTriggerTimetable("0 3 * * *", "30 */5 * * *", timezone="UTC", interval=timedelta(hours=2)),
    "intervals": CronDataIntervalTimetable("0 2 * * *", BERLIN),
    "months": CronDataIntervalTimetable("0 0 1 * *", "UTC"),
    "leap_days": CronDataIntervalTimetable("0 0 29 2 *", "UTC"),
    "minutely": Minutely(every=15),
    "hourly": Hourly(timezone=BERLIN),
    "discrete": DiscreteHours([2, 5, 15], timezone=BERLIN),
    "daily": Daily(at="02:30", timezone=BERLIN),
    "monthly": Monthly(days=[31, "last"], calendar=Weekends(), on_holiday="previous"),
    "business_days": BusinessDays(Weekends(), at="06:00"),
    "after_business_days": BusinessDays(Weekends(), interval="after"),
    "events": EventsTimetable([MARCH + timedelta(days=days) for days in (-700, 1, 5, 900)]),
}


def named(timetable: Timetable, logical_at: Instant, **bounds: Any) -> Instant | None:
    found = find_slot_by_logical_date(timetable=timetable, logical_at=logical_at, **bounds)
    return None if found is None else found.run_after


def coming(timetable: Timetable, start: Instant, most: int = 12, **bounds: Any) -> list[PlannedRun]:
    return list_runs_in_window(timetable, start=start, most=most, **bounds).runs


@pytest.mark.parametrize(
    "year",
    [MARCH, datetime(2024, 3, 30, 22, tzinfo=UTC), datetime(2024, 10, 26, 20, tzinfo=UTC)],
    ids=["", "spring", "autumn"],
)
@pytest.mark.parametrize("name", GRIDS)
def test_each_slot_has_its_logical_date_and_no_instant_between_is_one(name: str, year: datetime) -> None:
    timetable = GRIDS[name]
    around = coming(timetable, to_instant(year) - (5 if "month" in name else 1) * DAY, 110)
    dates = {int(run.slot_key) for run in around}
    for run in [run for run in around if run.run_after >= to_instant(year)][:6]:
        key = int(run.slot_key)
        assert named(timetable, key) == run.run_after
        assert find_slot_by_due_time(timetable=timetable, at=run.run_after) == Slot(
            run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end
        )
        for other in (key + 1, key - 1, key + 7 * 60 * SECOND):
            assert other in dates or named(timetable, other) is None
            assert find_slot_by_due_time(timetable=timetable, at=run.run_after + 1) is None


@pytest.mark.parametrize("name", GRIDS)
def test_manual_runs_find_the_same_slots_as_dependencies(name: str) -> None:
    promised_run = PlannedSlots(GRIDS[name])
    for run in coming(GRIDS[name], AT):
        moment = to_datetime(run.run_after)
        assert list(promised_run.between(moment, moment + timedelta(microseconds=1))) == [moment]


@pytest.mark.parametrize("name", GRIDS)
def test_the_dates_of_a_dag_bound_its_slots(name: str) -> None:
    timetable = GRIDS[name]
    runs = coming(timetable, AT, 12, earliest=AT, latest=AT + 3 * DAY)
    outside = [
        run for run in coming(timetable, AT - 40 * DAY, 200) if run.run_after not in {one.run_after for one in runs}
    ]
    assert all(named(timetable, int(run.slot_key), earliest=AT, latest=AT + 3 * DAY) == run.run_after for run in runs)
    if len(runs) < 12:
        assert all(named(timetable, int(run.slot_key), earliest=AT, latest=AT + 3 * DAY) is None for run in outside)


def test_the_slot_of_a_repeated_hour_is_its_second_occurrence() -> None:
    daily = CronTriggerTimetable("30 2 * * *", timezone=BERLIN)
    second = datetime(2024, 10, 27, 1, 30, tzinfo=UTC)
    assert named(daily, to_instant(second)) == to_instant(second)
    assert named(daily, to_instant(second) - HOUR) is None


@pytest.mark.parametrize(
    "timetable", [DeltaTriggerTimetable(timedelta(hours=5)), DeltaDataIntervalTimetable(timedelta(hours=5))], ids=repr
)
def test_steps_are_counted_from_the_last_planned_slot(timetable: Timetable) -> None:
    """Whatever the start date says: catchup may have been off when the first of them was planned."""
    runs = list(islice(iterate_runs_from(timetable, AT, None), 20))
    last = Cursor(
        run_after=runs[10].run_after, interval_start=runs[10].interval_start, interval_end=runs[10].interval_end
    )
    for bounds in ({}, {"earliest": AT - 7 * HOUR}):
        for run in runs:
            assert named(timetable, int(run.slot_key), cursor=last, **bounds) == run.run_after
            assert named(timetable, int(run.slot_key) + HOUR, cursor=last, **bounds) is None
            found = find_slot_by_due_time(timetable=timetable, at=run.run_after, cursor=last, **bounds)
            assert found is not None and found.logical_at == int(run.slot_key)
            assert find_slot_by_due_time(timetable=timetable, at=run.run_after + HOUR, cursor=last, **bounds) is None
    assert find_slot_by_due_time(timetable=timetable, at=runs[3].run_after) is None


@pytest.mark.parametrize(
    "timetable", [DeltaTriggerTimetable(timedelta(hours=5)), DeltaTriggerTimetable(relativedelta(months=1))], ids=repr
)
def test_steps_follow_the_start_date_before_anything_was_planned_and_are_unknown_without_one(
    timetable: Timetable,
) -> None:
    third = list(islice(iterate_runs_from(timetable, AT, None), 3))[-1]
    assert named(timetable, third.run_after, earliest=AT) == third.run_after
    assert named(timetable, third.run_after + HOUR, earliest=AT) is None
    assert named(timetable, third.run_after) is None


def test_months_are_not_counted_back_from_the_last_planned_slot() -> None:
    monthly = DeltaTriggerTimetable(relativedelta(months=1))
    last = Cursor(run_after=AT, interval_start=AT, interval_end=AT)
    assert named(monthly, to_instant(MARCH - relativedelta(months=1)), cursor=last) is None
    assert named(monthly, to_instant(MARCH + relativedelta(months=2)), cursor=last) == to_instant(
        MARCH + relativedelta(months=2)
    )


def test_a_schedule_that_follows_its_runs_has_no_slots() -> None:
    assert named(ContinuousTimetable(), AT, earliest=AT) is None
    assert find_slot_by_due_time(timetable=ContinuousTimetable(), at=AT) is None


# ---- authors' ----------------------------------------------------------------------------------------------------------
class Shifts(Timetable):
    """Ends of shifts at 6 and 18 o'clock, each about the twelve hours before."""

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo | None:
        if last_automated_data_interval is not None:
            start = last_automated_data_interval.end
        elif restriction.earliest is None:
            return None
        else:
            start = restriction.earliest.replace(hour=6, minute=0, second=0, microsecond=0)
            while start < restriction.earliest:
                start += timedelta(hours=12)
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start, start + timedelta(hours=12))


class Steps(Timetable):
    """An hour after the run before, from whenever it is asked first: no grid."""

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo | None:
        last = last_automated_data_interval
        return DagRunInfo.exact(restriction.earliest if last is None else last.end + timedelta(hours=1))


class Broken(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo | None:
        raise ZeroDivisionError("no shifts")


MORNING = to_instant(datetime(2024, 3, 8, 6, tzinfo=UTC))


@pytest.mark.parametrize("cursor", [None, -40 * DAY, 0, 40 * DAY])
@pytest.mark.parametrize("earliest", [None, MORNING - 400 * DAY, MORNING])
def test_an_authors_slot_does_not_depend_on_the_start_of_the_search(
    earliest: Instant | None, cursor: int | None
) -> None:
    last = None
    if cursor is not None:
        last = Cursor(
            run_after=MORNING + cursor + DAY // 2,
            interval_start=MORNING + cursor,
            interval_end=MORNING + cursor + DAY // 2,
        )
    assert named(Shifts(), MORNING, earliest=earliest, cursor=last) == MORNING + DAY // 2
    assert named(Shifts(), MORNING + HOUR, earliest=earliest, cursor=last) is None
    due = find_slot_by_due_time(timetable=Shifts(), at=MORNING + DAY // 2, earliest=earliest, cursor=last)
    assert due is not None and due.logical_at == MORNING


def test_an_author_class_that_steps_has_slots_after_the_last_planned_one_and_from_its_start_date_alone() -> None:
    last = Cursor(run_after=AT, interval_start=AT, interval_end=AT)
    assert named(Steps(), AT + 3 * HOUR, cursor=last) == AT + 3 * HOUR
    assert named(Steps(), AT, cursor=last) == AT
    assert named(Steps(), AT - 3 * HOUR, cursor=last) is None
    assert named(Steps(), AT) is None
    assert named(Steps(), AT, earliest=AT) == AT


def test_an_author_class_that_fails_says_so() -> None:
    with pytest.raises(PlanningError, match="Broken.next_dagrun_info raised ZeroDivisionError: no shifts"):
        named(Broken(), AT)


def test_the_search_in_an_authors_timetable_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.rules.planning.manual_runs.MAX_STEPS_TO_WINDOW", 50)
    last = Cursor(run_after=AT, interval_start=AT, interval_end=AT)
    with pytest.raises(PlanningError, match="more than 50 slots lie before"):
        named(Steps(), AT + 100 * HOUR, cursor=last)
