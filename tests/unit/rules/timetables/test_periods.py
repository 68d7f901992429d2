"""Period timetables: their slots against a walk of the wall clock, what a run is about, and what mistakes are told."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.rules.timetables import made as m
from tests.unit.rules.timetables.periods import PERIODS, WORKDAY_PERIODS, timetable_of
from tests.unit.rules.timetables.walked import instants_of, labels_of, random_spec, slots_between

from gnomon.calendars import Dates, Weekends
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.sentences import render
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.periods.period_timetable import PeriodTimetable
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable
from gnomon.rules.timetables.wall_clock.clock_change import FIRST_S, clock_of
from gnomon.rules.timetables.wall_clock.zones import from_seconds, named_zone
from gnomon.timetables import Daily, DiscreteHours, Hourly, Minutely, Monthly, Weekly, build, reference

SHORT_CASES, LONG_CASES = 60, 2000
AROUND, ANYWHERE = timedelta(days=2), timedelta(days=14)
NOON = datetime(2024, 3, 6, 12, tzinfo=UTC)
law = settings(derandomize=True, max_examples=100, deadline=None)


@pytest.mark.parametrize("seed", range(SHORT_CASES))
def test_slots_are_those_of_a_walk_of_the_wall_clock(seed: int) -> None:
    _compare(Random(seed))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(10_000, 10_000 + LONG_CASES, 50))
def test_slots_are_those_of_a_walk_of_the_wall_clock_at_length(first: int) -> None:
    for seed in range(first, first + 50):
        _compare(Random(seed))


def _compare(random: Random) -> None:
    names = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    zone = named_zone(random.choice(names))
    spec = random_spec(random)
    timetable = timetable_of(spec, timezone=zone)
    somewhere = int(datetime(random.randrange(1990, 2050), random.randint(1, 12), 15, tzinfo=UTC).timestamp())
    piece = clock_of(zone).at(somewhere)
    change = from_seconds(piece.end if random.random() < 0.5 else max(piece.start, FIRST_S + 10**6))
    for start, length in ((change - AROUND, 2 * AROUND), (from_seconds(somewhere), ANYWHERE)):
        expected = slots_between(spec, zone, start, start + length)
        case = f"{timetable!r} from {start}"
        assert list(timetable.slots_between(start, start + length)) == expected, case
        last = DagRunInfo.exact(start - timedelta(microseconds=1))
        walked = m.walk(timetable, TimeRestriction(None, start + length, True), start, 40, last)
        assert [info.run_after for info in walked] == [*expected, start + length][: len(walked)], case


@law
@given(PERIODS, m.MOMENTS)
def test_a_period_reaches_from_the_slot_before_to_the_slot(timetable: PeriodTimetable, start: datetime) -> None:
    walked = m.walk(timetable, TimeRestriction(start, None, True), start, 4)
    for before, info in zip([None, *walked], walked, strict=False):
        assert info.data_interval is not None
        assert info.data_interval.end == info.run_after
        if timetable.serialize()["interval"] is None:
            assert info.data_interval.start == info.run_after
        elif before is not None:
            assert info.data_interval.start == before.run_after
    first = walked[0].data_interval
    assert first is not None
    assert list(timetable.slots_between(first.start + timedelta(seconds=1), first.end)) == []


@law
@given(PERIODS, m.MOMENTS)
def test_a_manual_run_is_about_the_last_complete_period(timetable: PeriodTimetable, moment: datetime) -> None:
    interval = timetable.infer_manual(moment)
    assert interval.end <= moment
    if timetable.serialize()["interval"] is None:
        assert interval == DataInterval.exact(moment)
    else:
        assert list(timetable.slots_between(interval.start, moment + timedelta(microseconds=1))) == list(interval)


@law
@given(st.data(), PERIODS, m.MOMENTS)
def test_bounds_are_bounds_of_slots(data: st.DataObject, timetable: PeriodTimetable, now: datetime) -> None:
    restriction = data.draw(m.restrictions(now, catchup=True))
    for info in m.walk(timetable, restriction, now, 4):
        assert restriction.earliest is None or info.run_after >= restriction.earliest
        assert restriction.latest is None or info.run_after <= restriction.latest


@law
@given(st.data(), st.one_of(PERIODS, WORKDAY_PERIODS), m.MOMENTS, st.integers(1, 5))
def test_instants_increase_and_two_halves_make_the_whole(
    data: st.DataObject, timetable: PeriodTimetable, now: datetime, half: int
) -> None:
    restriction = data.draw(m.restrictions(now))
    whole = m.walk(timetable, restriction, now, 8)
    moments = [info.run_after for info in whole]
    assert moments == sorted(set(moments))
    assert all(moment.tzinfo is UTC for moment in moments)
    first = m.walk(timetable, restriction, now, half)
    rest = m.walk(m.stored(timetable), restriction, now, 8 - half, first[-1]) if first else []
    assert first + rest == whole


@law
@given(WORKDAY_PERIODS, m.MOMENTS)
def test_on_a_calendar_every_slot_is_on_a_business_day(timetable: PeriodTimetable, start: datetime) -> None:
    zone = timetable.timezone
    for slot in timetable.slots_between(start, start + timedelta(days=9)):
        moved_by_a_gap = zone is not None and slot.astimezone(zone).hour < 3
        assert slot.astimezone(zone).isoweekday() < 6 or moved_by_a_gap


@law
@given(st.one_of(PERIODS, WORKDAY_PERIODS))
def test_a_stored_period_timetable_is_equal(timetable: PeriodTimetable) -> None:
    ref = reference(timetable)
    again = build(ref)
    assert again == timetable == m.stored(timetable)
    assert hash(again) == hash(timetable)
    assert (again.serialize(), again.summary, again.description) == (
        dict(ref.data),
        timetable.summary,
        timetable.description,
    )
    assert json.loads(json.dumps(ref.data)) == ref.data
    assert again.summary and again.description
    assert render(summarize_timetable(ref)) == timetable.summary
    described = describe_timetable(ref)
    assert described is not None and render(described) == timetable.description


EXAMPLES: list[tuple[PeriodTimetable, str, str]] = [
    (Minutely(), "every minute", "Every minute (UTC)"),
    (
        Minutely(50, start="09:10", end=time(10, 59)),
        "every 50 minutes 09:10-10:59",
        "Every 50 minutes from 09:10 to 10:59, counted anew from minute 10 of each hour (UTC)",
    ),
    (Hourly(timezone="Europe/Berlin"), "every hour", "Every hour (Europe/Berlin)"),
    (Hourly(8, start="01:30"), "every 8 hours 01:30-23:59", "Every 8 hours from 01:30 to 23:59 (UTC)"),
    (DiscreteHours([15, 2, 5], minute=30), "at 02:30, 05:30, 15:30", "At 02:30, 05:30 and 15:30 every day (UTC)"),
    (Daily("12:00"), "daily at 12:00", "At 12:00 every day (UTC)"),
    (Weekly(["mon", 5, "Friday"], at="6:00"), "weekly on Mon, Fri at 06:00", "At 06:00 on Monday and Friday (UTC)"),
    (
        Monthly(["last", 3, ("mon", 2), ("fri", "last")]),
        "monthly on day 3, the last day, the second Monday, the last Friday at 00:00",
        "At 00:00 on day 3, the last day, the second Monday and the last Friday of the month (UTC)",
    ),
    (Monthly(("mon", 2)), "monthly on the second Monday at 00:00", "At 00:00 on the second Monday of the month (UTC)"),
    (
        Daily("07:00", calendar=Weekends()),
        "daily at 07:00, on business days of weekdays",
        "At 07:00 every day (UTC), on business days of weekdays",
    ),
]


@pytest.mark.parametrize(("timetable", "summary", "description"), EXAMPLES, ids=lambda value: str(value)[:40])
def test_words(timetable: PeriodTimetable, summary: str, description: str) -> None:
    assert (timetable.summary, timetable.description) == (summary, description)


def test_a_month_without_such_a_day_has_no_slot() -> None:
    year = (datetime(2023, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC))
    assert [slot.month for slot in Monthly(31).slots_between(*year)] == [1, 3, 5, 7, 8, 10, 12]
    assert [slot.day for slot in Monthly("last").slots_between(*year)] == [
        31,
        28,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ]
    assert [slot.month for slot in Monthly([("mon", 5)]).slots_between(*year)] == [1, 5, 7, 10]
    assert len(list(Monthly(["last", 31]).slots_between(*year))) == 12, "days that meet are one slot"


def test_the_first_run_with_a_start_date_is_the_first_slot_not_before_it() -> None:
    start = datetime(2024, 3, 6, 12, tzinfo=UTC)
    info = Daily("12:00").plan_next(None, TimeRestriction(start, None, True), start + timedelta(days=40))
    assert info == DagRunInfo.interval(start - timedelta(days=1), start)
    newest = Daily("12:00").plan_next(None, TimeRestriction(start, None, False), start + timedelta(days=40, hours=1))
    assert newest is not None
    assert newest.run_after == start + timedelta(days=40)


def test_without_a_start_date_the_next_slot_is_the_first() -> None:
    info = Daily("11:59").plan_next(None, TimeRestriction(None, None, False), NOON)
    assert info is not None
    assert info.run_after == datetime(2024, 3, 7, 11, 59, tzinfo=UTC)


def test_a_span_is_what_each_run_is_about() -> None:
    day_before = Daily("06:00", interval=timedelta(days=1))
    info = day_before.plan_next(None, TimeRestriction(NOON, None, True), NOON)
    at = datetime(2024, 3, 7, 6, tzinfo=UTC)
    assert info == DagRunInfo.interval(at - timedelta(days=1), at)
    assert day_before.infer_manual(NOON) == DataInterval(NOON - timedelta(days=1), NOON)


def test_on_a_calendar_a_period_spans_the_days_off() -> None:
    monday = datetime(2024, 3, 11, 7, tzinfo=UTC)
    info = Daily("07:00", calendar=Weekends()).plan_next(
        None, TimeRestriction(monday - timedelta(days=2), None, True), monday
    )
    assert info == DagRunInfo.interval(monday - timedelta(days=3), monday)
    last_workday = Monthly("last", at="18:00", calendar=Weekends(), on_holiday="previous")
    spring = last_workday.slots_between(datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC))
    assert [f"{slot:%m-%d}" for slot in spring] == ["03-29", "04-30", "05-31", "06-28"]


def test_windows_keep_their_labels_on_a_clock_change() -> None:
    berlin = named_zone("Europe/Berlin")
    spring = (datetime(2024, 3, 31, tzinfo=berlin), datetime(2024, 4, 1, tzinfo=berlin))
    autumn = (datetime(2024, 10, 27, tzinfo=berlin), datetime(2024, 10, 28, tzinfo=berlin))

    def shown(timetable: PeriodTimetable, day: tuple[datetime, datetime]) -> str:
        return " ".join(f"{slot.astimezone(berlin):%H:%M}" for slot in timetable.slots_between(*day))

    steps = Hourly(2, end="06:00", timezone=berlin)
    assert shown(steps, spring) == "00:00 03:00 04:00 06:00"
    assert shown(steps, autumn) == "00:00 02:00 04:00 06:00"
    window = Minutely(30, start="01:00", end="03:00", timezone=berlin)
    assert shown(window, spring) == "01:00 01:30 03:00 03:30"
    assert shown(window, autumn) == "01:00 01:30 02:00 02:30 02:00 02:30 03:00"
    hours = Hourly(start="01:30", end="04:00", timezone=berlin)
    assert shown(hours, autumn) == "01:30 02:30 02:30 03:30"


MISTAKES: list[tuple[Any, tuple[Any, ...], dict[str, Any], str]] = [
    (
        Minutely,
        (60,),
        {},
        r"Minutely\(every=60\) is not a whole number from 1 to 59; Hourly\(every=...\) steps by hours",
    ),
    (Minutely, (0,), {}, r"every=0\) is not a whole number"),
    (Minutely, (True,), {}, r"every=True\) is not a whole number"),
    (Minutely, (), {"start": "24:00"}, r"Minutely\(start='24:00'\) is not a time of day; write '00:00' to '23:59'"),
    (Hourly, (24,), {}, r"Daily\(at=...\) runs once a day"),
    (
        Hourly,
        (),
        {"start": "22:00", "end": "04:00"},
        r"Hourly\(end='04:00'\) is before start='22:00'; a window is within one day",
    ),
    (DiscreteHours, ([],), {}, r"DiscreteHours\(hours=\[\]\) is empty, so that it would never run"),
    (DiscreteHours, ([24],), {}, r"hours=24\) is not a whole number from 0 to 23"),
    (DiscreteHours, ([2],), {"minute": 60}, r"minute=60\) is not a whole number from 0 to 59"),
    (Daily, ("noon",), {}, r"Daily\(at='noon'\) is not a time of day"),
    (Daily, (time(1, 2, 3),), {}, "has seconds; period timetables run at whole minutes"),
    (Daily, (time(1, 2, tzinfo=UTC),), {}, "has a time zone; remove it and give timezone="),
    (Daily, (), {"interval": "day"}, r"Daily\(interval='day'\) is none of 'period', None and a timedelta"),
    (Daily, (), {"interval": timedelta(days=-1)}, "none of 'period', None and a timedelta"),
    (Daily, (), {"timezone": "Berlin"}, "time zone 'Berlin' is not in the tz database"),
    (Daily, (), {"on_holiday": "next"}, "needs calendar="),
    (Daily, (), {"calendar": 5}, "calendar=5 is not a calendar"),
    (Weekly, (["mo"],), {}, r"weekdays='mo'\) is not a weekday; write 1 \(Monday\) to 7 \(Sunday\), or a name"),
    (Weekly, ([0],), {}, "is not a weekday"),
    (Weekly, (None,), {}, r"weekdays=None\) is not a list; give weekdays, as \['mon', 'fri'\]"),
    (Monthly, ([32],), {}, r"days=32\) is not a day of the month; write 1 to 31, 'last', \('mon', 2\)"),
    (Monthly, (["first"],), {}, "is not a day of the month"),
    (Monthly, ([("mon", 6)],), {}, r"is not a whole number from 1 to 5; or 'last'"),
]


@pytest.mark.parametrize(("cls", "args", "keywords", "message"), MISTAKES, ids=lambda value: str(value)[:30])
def test_a_mistake_names_argument_value_and_remedy(
    cls: Any, args: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=message):
        cls(*args, **keywords)


def test_an_unknown_keyword_is_an_error() -> None:
    with pytest.raises(TypeError, match="'tz'"):
        Daily(tz="UTC")  # type: ignore[call-arg]


def test_a_schedule_that_never_meets_its_calendar_says_so() -> None:
    never = Weekly("sat", calendar=Weekends())
    with pytest.raises(AirflowTimetableInvalid, match="on_holiday='next' or 'previous'"):
        next(iter(never.slots_between(NOON, NOON + timedelta(days=30))))
    moved = Weekly("sat", calendar=Weekends() | Dates([date(2024, 3, 11)]), on_holiday="next")
    assert next(iter(moved.slots_between(NOON, NOON + timedelta(days=30)))) == datetime(2024, 3, 12, tzinfo=UTC)


def test_the_walk_itself_sees_both_sides_of_a_clock_change() -> None:
    berlin = named_zone("Europe/Berlin")
    hourly = {"kind": "hour", "every": 1, "start": "00:00", "end": "23:59"}
    assert len(labels_of(hourly, NOON.date())) == 24
    doubled = datetime(2024, 10, 27, 2)
    assert len(instants_of(hourly, doubled, berlin)) == 2
    assert instants_of({"kind": "day"}, doubled, berlin) == [datetime(2024, 10, 27, 1, tzinfo=UTC)]
    assert instants_of({"kind": "day"}, datetime(2024, 3, 31, 2, 30), berlin) == [
        datetime(2024, 3, 31, 1, 30, tzinfo=UTC)
    ]
