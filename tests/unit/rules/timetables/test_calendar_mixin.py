"""`calendar=` and `on_holiday=` of the periodic timetables, against a walk from day to day that shares no code with them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st
from tests.unit.rules.calendars.made import DAY, FIRST, LAST, calendars

from gnomon.calendars import Calendar, Country, Dates, Weekends
from gnomon.entry.testing.timetables import assert_timetable
from gnomon.model.errors.timetable import AirflowTimetableInvalid, CalendarEnded
from gnomon.model.slots import DataInterval, TimeRestriction
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.timetables import (
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    MultipleCronTriggerTimetable,
    build,
    reference,
)

ZONES = (
    "UTC",
    "Europe/Zurich",
    "America/New_York",
    "Asia/Beirut",
    "America/Nuuk",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/St_Johns",
    "Asia/Kolkata",
)
SOAK_SEED = 20261121
WAYS = st.sampled_from(["skip", "previous", "next"])
clocks = st.sets(st.tuples(st.integers(0, 23), st.integers(0, 59)), min_size=1, max_size=3)
weekdays = st.one_of(st.just(frozenset(range(7))), st.frozensets(st.integers(0, 6), min_size=1))
starts = st.dates(FIRST + 200 * DAY, LAST - 320 * DAY)


@lru_cache(maxsize=100_000)
def placed(day: date, clock: tuple[int, int], zone: Any) -> datetime:
    """The instant of a label, found by trying (clocks are whole quarters away from UTC now): the last instant that shows it, else the label moved forward by the gap."""
    label = datetime.combine(day, time(*clock))
    found = [
        shown
        for quarters in range(-60, 60)
        if (shown := label.replace(tzinfo=UTC) + timedelta(minutes=15 * quarters)).astimezone(zone).replace(tzinfo=None)
        == label
    ]
    if found:
        return found[-1]
    before = (label.replace(tzinfo=UTC) - 2 * DAY).astimezone(zone).utcoffset()
    assert before is not None
    return label.replace(tzinfo=UTC) - before


def by_hand(calendar: Calendar, days: set[date], clocks: set[tuple[int, int]], way: str, zone: Any) -> list[datetime]:
    """Where each label of `days` goes."""
    found = set()
    for day in days:
        while not calendar.is_business_day(day) and way != "skip":
            day += DAY if way == "next" else -DAY
        if calendar.is_business_day(day):
            found |= {placed(day, clock, zone) for clock in clocks}
    return sorted(found)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(calendars, clocks, weekdays, WAYS, st.sampled_from(ZONES), starts)
def test_a_cron_goes_where_a_walk_from_day_to_day_puts_it(
    calendar: Calendar, clocks: set[tuple[int, int]], on: frozenset[int], way: str, zone_name: str, start: date
) -> None:
    zone = named_zone(zone_name) if zone_name != "UTC" else UTC
    near = [start + number * DAY for number in range(-60, 90)]
    named = {day for day in near if day.weekday() in on}
    expected = by_hand(calendar, named, clocks, way, zone)
    low, high = datetime.combine(start, time(), UTC), datetime.combine(start + 30 * DAY, time(), UTC)
    assume(
        expected and expected[0] < low - DAY and expected[-1] > high + DAY
    )  # else it never meets its calendar, and says so
    field = "*" if len(on) == 7 else ",".join(str((day + 1) % 7) for day in sorted(on))
    crons = [f"{minute} {hour} * * {field}" for hour, minute in sorted(clocks)]
    made = MultipleCronTriggerTimetable(*crons, timezone=zone_name, calendar=calendar, on_holiday=way)
    assert list(made.slots_between(low, high)) == [moment for moment in expected if low <= moment < high]
    one = CronDataIntervalTimetable(crons[0], zone_name, calendar=calendar, on_holiday=way)
    alone = by_hand(calendar, named, {min(clocks)}, way, zone)
    assert _walked(one, low, high) == [pair for pair in pairwise(m for m in alone if m >= low) if pair[1] < high]
    for moment in alone:
        if low < moment < high:
            assert one.infer_manual(moment).end == moment == one.infer_manual(moment + timedelta(seconds=59)).end


@settings(derandomize=True, max_examples=25, deadline=None)
@given(calendars, st.sampled_from(["*", "*/7", "0,30"]), st.sampled_from(ZONES), starts)
def test_every_real_hour_of_a_business_day_runs(calendar: Calendar, minute: str, zone_name: str, start: date) -> None:
    zone = named_zone(zone_name) if zone_name != "UTC" else UTC
    plain = CronTriggerTimetable(f"{minute} * * * *", timezone=zone_name)
    kept = CronTriggerTimetable(f"{minute} * * * *", timezone=zone_name, calendar=calendar)
    low = datetime.combine(start, time(), UTC)
    expected = [
        moment
        for moment in plain.slots_between(low, low + 9 * DAY)
        if calendar.is_business_day(moment.astimezone(zone).date())
    ]
    assert list(kept.slots_between(low, low + 9 * DAY)) == expected


@settings(derandomize=True, max_examples=25, deadline=None)
@given(calendars, st.integers(1, 400), WAYS, st.sampled_from(ZONES), starts)
def test_a_delta_steps_from_where_the_run_before_went(
    calendar: Calendar, quarters: int, way: str, zone_name: str, start: date
) -> None:
    zone = named_zone(zone_name) if zone_name != "UTC" else UTC
    delta = timedelta(minutes=15 * quarters)
    made = DeltaTriggerTimetable(delta, calendar=calendar, on_holiday=way, timezone=zone_name)
    low = datetime.combine(start, time(7, 30), UTC)
    found = [moment for moment, _ in zip(made.slots_between(low, low + 60 * DAY), range(40), strict=False)]
    assert all(calendar.is_business_day(moment.astimezone(zone).date()) for moment in found)
    for before, after in pairwise(found):
        step = before + delta
        while (goes := _by_hand_moved(calendar, step, way, zone)) is None or goes <= before:
            step += delta
        assert after == goes
    intervals = _walked(
        DeltaDataIntervalTimetable(delta, calendar=calendar, on_holiday=way, timezone=zone_name), low, low + 20 * DAY
    )
    assert [start for start, _ in intervals[1:]] == [end for _, end in intervals[:-1]]


def _by_hand_moved(calendar: Calendar, moment: datetime, way: str, zone: Any) -> datetime | None:
    wall = moment.astimezone(zone)
    day = wall.date()
    if calendar.is_business_day(day):
        return moment
    if way == "skip":
        return None
    while not calendar.is_business_day(day):
        day += DAY if way == "next" else -DAY
    return placed(day, (wall.hour, wall.minute), zone)


def _walked(timetable: Any, low: datetime, high: datetime) -> list[tuple[datetime, datetime]]:
    """The intervals of a walk with catchup from `low`, of runs before `high`."""
    found, last = [], None
    while (
        last := timetable.plan_next(last, TimeRestriction(low, None, True), high)
    ) is not None and last.run_after < high:
        assert last.run_after == last.data_interval.end
        found.append((last.data_interval.start, last.data_interval.end))
    return found


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, WAYS, st.booleans(), starts, st.integers(0, 86400))
def test_without_catchup_the_newest_run_that_remains_is_made(
    calendar: Calendar, way: str, intervals: bool, start: date, second: int
) -> None:
    arguments = {"timezone": "Europe/Zurich", "calendar": calendar, "on_holiday": way}
    made: Any = (CronDataIntervalTimetable if intervals else CronTriggerTimetable)("30 6 * * *", **arguments)
    now = datetime.combine(start, time(), UTC) + timedelta(seconds=second)
    restriction = TimeRestriction(now - 90 * DAY, None, False)
    info = made.plan_next(None, restriction, now)
    due = [moment for moment in made.slots_between(now - 90 * DAY, now + timedelta(seconds=1)) if moment <= now]
    if len(due) >= 2:
        assert info.run_after == due[-1]
    following = made.plan_next(info, restriction, now)
    assert following.run_after > info.run_after
    if intervals:
        assert following.data_interval.start >= info.data_interval.end


@pytest.mark.parametrize(
    "made",
    [
        CronTriggerTimetable("0 6 * * *", timezone="Europe/Zurich", calendar=Country("CH", "ZH"), on_holiday="next"),
        CronDataIntervalTimetable("0 6 * * *", "UTC", calendar=Weekends("fri", "sat"), on_holiday="previous"),
        MultipleCronTriggerTimetable("0 6 * * *", "0 9 * * 1", timezone="UTC", calendar=Dates(["2026-05-01"])),
        DeltaTriggerTimetable(timedelta(hours=6), calendar=Weekends(), timezone="Asia/Tokyo"),
        DeltaDataIntervalTimetable(timedelta(hours=6), calendar=Weekends(), on_holiday="next"),
    ],
)
def test_a_stored_timetable_is_equal_and_has_its_calendar(made: Any) -> None:
    ref = reference(made)
    again: Any = build(
        ref.__class__(
            **{**{f: getattr(ref, f) for f in ref.__struct_fields__}, "data": json.loads(json.dumps(ref.data))}
        )
    )
    assert again == made
    assert (again.summary, again.description) == (made.summary, made.description)
    low = datetime(2026, 4, 20, tzinfo=UTC)
    assert list(again.slots_between(low, low + 30 * DAY)) == list(made.slots_between(low, low + 30 * DAY))


def test_what_was_stored_without_a_calendar_reads_as_before() -> None:
    for made in (
        CronTriggerTimetable("0 6 * * *", timezone="UTC"),
        DeltaTriggerTimetable(DAY),
        CronDataIntervalTimetable("0 6 * * *", "UTC"),
    ):
        assert not {"calendar", "on_holiday"} & set(made.serialize())
        assert type(made).deserialize(made.serialize()) == made
        assert type(made).deserialize(made.serialize()).calendar is None


def test_timetables_with_different_calendars_differ() -> None:
    made = [
        CronTriggerTimetable("0 6 * * *", timezone="UTC", **arguments)
        for arguments in (
            {},
            {"calendar": Weekends()},
            {"calendar": Weekends("fri")},
            {"calendar": Weekends(), "on_holiday": "next"},
        )
    ]
    assert all(
        (one == other) == (number == place) for number, one in enumerate(made) for place, other in enumerate(made)
    )


def test_summary_and_description_name_the_calendar() -> None:
    def shown(**arguments: Any) -> tuple[str, str]:
        made = CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar=Country("US"), **arguments)
        return made.summary, made.description

    assert shown() == ("0 6 * * *, on business days of US", "At 06:00, on business days of US")
    assert shown(on_holiday="previous")[0] == "0 6 * * *, moved back to business days of US"
    assert shown(on_holiday="next")[0] == "0 6 * * *, moved on to business days of US"


def test_runs_that_meet_on_one_day_are_one() -> None:
    made = CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar=Country("US"), on_holiday="next")
    low = datetime(2026, 11, 26, tzinfo=UTC)  # Thanksgiving
    assert [moment.day for moment in made.slots_between(low, low + 6 * DAY)] == [27, 30, 1]


def test_a_label_moves_before_it_meets_a_clock_change() -> None:
    """02:30 does not exist on Sunday, 8 March 2026; on the Monday it moves to, it does."""
    made = CronTriggerTimetable("30 2 * * *", timezone="America/New_York", calendar=Weekends(), on_holiday="next")
    low = datetime(2026, 3, 7, tzinfo=UTC)
    assert [moment.isoformat() for moment in made.slots_between(low, low + 3 * DAY)] == ["2026-03-09T06:30:00+00:00"]


def test_an_interval_without_a_gap_has_the_weekend_in_mondays_run() -> None:
    made = CronDataIntervalTimetable("0 6 * * *", "UTC", calendar=Weekends())
    monday = datetime(2026, 11, 23, 6, tzinfo=UTC)
    assert made.infer_manual(monday) == DataInterval(datetime(2026, 11, 20, 6, tzinfo=UTC), monday)


def test_a_schedule_that_never_meets_its_calendar_says_so() -> None:
    made = CronTriggerTimetable("0 6 * * 6", timezone="UTC", calendar=Weekends())
    with pytest.raises(
        AirflowTimetableInvalid,
        match=r"2000 consecutive days of this schedule, .* are days off in calendar weekdays; change the schedule",
    ):
        made.plan_next(
            None, TimeRestriction(datetime(2026, 1, 1, tzinfo=UTC), None, True), datetime(2026, 1, 1, tzinfo=UTC)
        )


def test_a_calendar_that_ends_refuses_to_guess() -> None:
    made = CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar=Dates(["2026-12-24"], source="closed.csv"))
    low = datetime(2026, 12, 30, tzinfo=UTC)
    found = made.slots_between(low, low + 9 * DAY)
    assert [next(found).day, next(found).day] == [30, 31]
    with pytest.raises(CalendarEnded, match=r"calendar closed.csv does not know whether 2027-01-01 is a business day"):
        next(found)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            {"calendar": Weekends(), "on_holiday": "forward"},
            "on_holiday='forward' is none of 'skip', 'previous', 'next'",
        ),
        ({"on_holiday": "next"}, "on_holiday='next' needs calendar="),
        ({"calendar": 5}, "calendar=5 is not a calendar"),
    ],
)
def test_a_mistake_says_what_to_write(arguments: Any, says: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=says):
        CronTriggerTimetable("0 6 * * *", timezone="UTC", **arguments)


@pytest.mark.parametrize("way", ["skip", "previous", "next"])
@pytest.mark.parametrize(
    "make",
    [
        lambda **on: CronTriggerTimetable("30 2 * * *", timezone="Europe/Zurich", **on),
        lambda **on: CronDataIntervalTimetable("0 */6 * * *", "America/New_York", **on),
        lambda **on: MultipleCronTriggerTimetable("0 6 * * *", "0 9 * * 1", timezone="UTC", **on),
        lambda **on: DeltaTriggerTimetable(timedelta(hours=11), timezone="America/New_York", **on),
        lambda **on: DeltaDataIntervalTimetable(timedelta(hours=36), **on),
    ],
)
def test_it_keeps_the_laws_of_timetables(make: Any, way: str) -> None:
    own = Country("US") | Dates(["2025-12-24"], since="2010-01-01", until="2040-12-31")
    assert_timetable(
        make(calendar=own, on_holiday=way),
        start=datetime(2025, 1, 1, tzinfo=UTC),
        end=datetime(2026, 12, 1, tzinfo=UTC),
        cases=15,
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    ("law", "arguments"),
    [
        (
            test_a_cron_goes_where_a_walk_from_day_to_day_puts_it,
            (calendars, clocks, weekdays, WAYS, st.sampled_from(ZONES), starts),
        ),
        (
            test_a_delta_steps_from_where_the_run_before_went,
            (calendars, st.integers(1, 400), WAYS, st.sampled_from(ZONES), starts),
        ),
        (
            test_without_catchup_the_newest_run_that_remains_is_made,
            (calendars, WAYS, st.booleans(), starts, st.integers(0, 86400)),
        ),
    ],
)
def test_many_calendars_and_zones(law: Any, arguments: Any) -> None:
    """A thousand cases of each law, from another seed than the short form's."""

    @seed(SOAK_SEED)
    @settings(max_examples=1000, deadline=None, database=None)
    @given(st.tuples(*arguments))
    def tried(case: Any) -> None:
        law.hypothesis.inner_test(*case)

    tried()
