"""BusinessDays: a run for each business day, about the time since the last run or about the whole day."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.rules.calendars.made import DAY, FIRST, LAST, calendars, walked
from tests.unit.rules.timetables.test_calendar_mixin import ZONES, placed

from gnomon.calendars import Calendar, Country, Dates, Weekends
from gnomon.model.errors.timetable import AirflowTimetableInvalid, CalendarEnded
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.timetables import BusinessDays, CronTriggerTimetable, build, reference

US = Country("US")
AFTER_WORKDAYS = BusinessDays(US, interval="after")
clocks = st.tuples(st.integers(0, 23), st.integers(0, 59))
starts = st.dates(FIRST + 200 * DAY, LAST - 320 * DAY)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def runs(
    made: Any, low: datetime, high: datetime, catchup: bool = True, last: DagRunInfo | None = None
) -> list[DagRunInfo]:
    """A walk from `low`, of runs before `high`."""
    found: list[DagRunInfo] = []
    while (
        last := made.plan_next(last, TimeRestriction(low, None, catchup), high)
    ) is not None and last.run_after < high:
        found.append(last)
    return found


def test_after_each_workday_is_one_line() -> None:
    week = runs(AFTER_WORKDAYS, at("2026-11-23"), at("2026-12-02T00:00:01"))
    assert [
        (info.run_after.strftime("%a %d"), info.data_interval.start.day) for info in week if info.data_interval
    ] == [
        ("Tue 24", 23),
        ("Wed 25", 24),
        ("Thu 26", 25),
        ("Sat 28", 27),
        ("Tue 01", 30),
        ("Wed 02", 1),
    ]
    assert all(
        info.data_interval and info.run_after == info.data_interval.end == info.data_interval.start + DAY
        for info in week
    )


@pytest.mark.parametrize(
    ("moment", "covers"),
    [
        ("2026-11-22T09:00:00", "2026-11-20"),
        ("2026-11-23T09:00:00", "2026-11-20"),
        ("2026-11-27T09:00:00", "2026-11-25"),
        ("2026-11-25T00:00:00", "2026-11-24"),
    ],
    ids=["on a Sunday", "on a Monday", "the day after a holiday", "at midnight"],
)
def test_a_run_by_hand_is_about_the_last_complete_workday(moment: str, covers: str) -> None:
    assert AFTER_WORKDAYS.infer_manual(at(moment)) == DataInterval(at(covers), at(covers) + DAY)


def test_the_run_after_a_day_may_be_later_on_the_next() -> None:
    made = BusinessDays(US, at="08:00", interval="after")
    (info,) = runs(made, at("2026-11-20"), at("2026-11-23"))
    assert (info.run_after, info.data_interval) == (
        at("2026-11-21T08:00:00"),
        DataInterval(at("2026-11-20"), at("2026-11-21")),
    )
    assert made.infer_manual(at("2026-11-21T07:59:59")).start == at("2026-11-19")
    assert made.infer_manual(at("2026-11-21T08:00:00")).start == at("2026-11-20")


@settings(derandomize=True, max_examples=30, deadline=None)
@given(calendars, clocks, st.sampled_from(ZONES), starts)
def test_a_run_since_the_last_one_is_at_its_time_on_each_business_day(
    calendar: Calendar, clock: tuple[int, int], zone_name: str, start: date
) -> None:
    zone = named_zone(zone_name) if zone_name != "UTC" else UTC
    made = BusinessDays(calendar, time(*clock), zone_name)
    low, high = datetime.combine(start, time(), UTC), datetime.combine(start + 30 * DAY, time(), UTC)
    expected = [placed(day, clock, zone) for day in walked(calendar, start - 20 * DAY, start + 40 * DAY)]
    inside = [moment for moment in expected if low <= moment < high]
    assert list(made.slots_between(low, high)) == inside
    assert [info.data_interval for info in runs(made, low, high)] == [DataInterval(*pair) for pair in pairwise(inside)]
    for before, after in pairwise(inside):
        assert (
            made.infer_manual(after) == made.infer_manual(after + timedelta(seconds=1)) == DataInterval(before, after)
        )


@settings(derandomize=True, max_examples=30, deadline=None)
@given(calendars, clocks, st.sampled_from(ZONES), starts)
def test_a_run_after_the_day_is_about_the_whole_day(
    calendar: Calendar, clock: tuple[int, int], zone_name: str, start: date
) -> None:
    zone = named_zone(zone_name) if zone_name != "UTC" else UTC
    made = BusinessDays(calendar, time(*clock), zone_name, interval="after")
    low, high = datetime.combine(start, time(), UTC), datetime.combine(start + 30 * DAY, time(), UTC)
    days = walked(calendar, start - 20 * DAY, start + 40 * DAY)
    expected = [
        DagRunInfo(
            placed(day + DAY, clock, zone), DataInterval(placed(day, (0, 0), zone), placed(day + DAY, (0, 0), zone))
        )
        for day in days
    ]
    assert list(made.slots_between(low, high)) == [info.run_after for info in expected if low <= info.run_after < high]
    assert runs(made, low, high) == [
        info for info in expected if info.data_interval.start >= low and info.run_after < high
    ]  # type: ignore[union-attr]
    for info in expected:
        if low < info.run_after < high:
            assert made.infer_manual(info.run_after) == info.data_interval
            newest = made.plan_next(None, TimeRestriction(low - 60 * DAY, None, False), info.run_after)
            assert newest == info


@settings(derandomize=True, max_examples=40, deadline=None)
@given(calendars, st.sampled_from(["week", "month", "quarter"]), st.integers(-4, 4).filter(bool), starts)
def test_the_nth_business_day_of_each_is_kept(calendar: Calendar, of: str, nth: int, start: date) -> None:
    made = BusinessDays(calendar, "06:00", nth=nth, of=of)
    low, high = datetime.combine(start, time(), UTC), datetime.combine(start + 100 * DAY, time(), UTC)
    expected = {calendar.nth_business_day(start + number * DAY, nth, of) for number in range(-100, 200)} - {None}
    moments = sorted(datetime.combine(day, time(6), UTC) for day in expected if day is not None)
    try:
        found = list(made.slots_between(low, high))
    except (AirflowTimetableInvalid, CalendarEnded):
        assert not [moment for moment in moments if moment >= high]  # nothing more within what is known
    else:
        assert found == [moment for moment in moments if low <= moment < high]


@pytest.mark.parametrize(
    "made",
    [
        BusinessDays("finance", at="06:30", timezone="Europe/Zurich"),
        BusinessDays(US, interval="after"),
        BusinessDays(Weekends("fri", "sat") | Dates(["2026-05-01"]), time(6, 30, 15), nth=-1, of="quarter"),
    ],
)
def test_a_stored_one_is_equal(made: BusinessDays) -> None:
    ref = reference(made)
    assert (ref.path, ref.builtin) == ("BusinessDays", True)
    assert build(ref) == made
    assert json.loads(json.dumps(ref.data)) == build(ref).serialize() == made.serialize()


@pytest.mark.parametrize(
    ("made", "summary", "description"),
    [
        (BusinessDays(US, "06:30"), "06:30 on business days of US", "06:30 on business days of US (UTC)"),
        (
            BusinessDays("finance", interval="after"),
            "after each business day of finance",
            "After each business day of finance (UTC)",
        ),
        (
            BusinessDays("finance", "08:00", "Europe/Zurich", interval="after"),
            "after each business day of finance, at 08:00",
            "After each business day of finance, at 08:00 (Europe/Zurich)",
        ),
        (
            BusinessDays(US, "06:30", nth=-1),
            "06:30 on the last business day of each month of US",
            "06:30 on the last business day of each month of US (UTC)",
        ),
        (
            BusinessDays(US, nth=-2, of="week", interval="after"),
            "after the second last business day of each week of US",
            "After the second last business day of each week of US (UTC)",
        ),
        (
            BusinessDays(US, nth=3, of="quarter"),
            "00:00 on the third business day of each quarter of US",
            "00:00 on the third business day of each quarter of US (UTC)",
        ),
    ],
)
def test_it_says_what_it_does(made: BusinessDays, summary: str, description: str) -> None:
    assert (made.summary, made.description) == (summary, description)


def test_the_last_run_before_a_calendar_ends_needs_no_day_beyond() -> None:
    own = Weekends() | Dates(["2026-12-25"])
    after = runs(BusinessDays(own, interval="after"), at("2026-12-30"), at("2027-01-01"))
    assert [info.run_after.day for info in after] == [31]
    last = BusinessDays(own, interval="after").plan_next(after[-1], TimeRestriction(None, None, True), at("2027-01-01"))
    assert last is not None and last.run_after == at("2027-01-01")
    with pytest.raises(CalendarEnded, match="2027-01-01"):
        BusinessDays(own, interval="after").plan_next(last, TimeRestriction(None, None, True), at("2027-01-01"))


def test_after_another_schedule_it_goes_on_where_that_ended() -> None:
    cron = CronTriggerTimetable("0 12 * * *", timezone="UTC")
    last = cron.plan_next(None, TimeRestriction(at("2026-11-20T12:00:00"), None, True), at("2026-11-20"))
    found = AFTER_WORKDAYS.plan_next(last, TimeRestriction(None, None, True), at("2026-11-20"))
    assert found is not None and found.data_interval == DataInterval(at("2026-11-23"), at("2026-11-24"))


def test_nothing_is_planned_beyond_the_end_date_or_without_a_start() -> None:
    now = at("2026-11-20")
    assert AFTER_WORKDAYS.plan_next(None, TimeRestriction(at("2026-11-21"), at("2026-11-22"), True), now) is None
    assert AFTER_WORKDAYS.plan_next(None, TimeRestriction(None, None, True), now) is None
    assert BusinessDays(US).plan_next(None, TimeRestriction(None, None, True), now) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"at": "25:00"}, "at='25:00' is not a time of day; write it as 'HH:MM'"),
        ({"at": "6"}, "at='6' is not a time of day"),
        ({"at": 6}, "at=6 is not a time of day"),
        ({"interval": "before"}, "interval='before' is none of 'since', 'after'"),
        ({"nth": 0}, "nth=0: count business days from 1"),
        ({"of": "year"}, "of='year' is none of 'week', 'month', 'quarter'"),
        ({"timezone": "Europe/Zurch"}, "time zone 'Europe/Zurch' is not in the tz database"),
        ({"calendar": None}, "calendar=None is not a calendar; give a calendar of gnomon.calendars"),
    ],
)
def test_a_mistake_says_what_to_write(arguments: Any, says: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=says):
        BusinessDays(**{"calendar": US, **arguments})
