"""Corners of the resolver: recorded pasts, dates, other zones, timetables of any make, and what a year costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta

from gnomon.calendars import Weekends
from gnomon.dependencies import After, History, Resolution, upstream_slots
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.dependencies.resolver import MAX_RESOLVERS, Resolver
from gnomon.timetables import (
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    Daily,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    DiscreteHours,
    EventsTimetable,
    Hourly,
    Minutely,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
    Weekly,
)

DAY = timedelta(days=1)
EARLY = DiscreteHours([2, 5, 15])
NOON = Daily("12:00")


def at(text: str) -> datetime:
    """`03 14:30`, in May 2024."""
    return datetime.strptime(f"2024-05-{text} +0000", "%Y-%m-%d %H:%M %z")


def waits(after: After, downstream: Timetable, upstream: Timetable, moment: str, **keywords: Any) -> Resolution:
    return upstream_slots(after, downstream=downstream, upstream=upstream, at=at(moment), **keywords)


def shown(resolution: Resolution) -> str:
    return " ".join(f"{slot:%d %H:%M}" for slot in resolution.slots)


def test_an_answer_names_slots_rule_and_window() -> None:
    found = waits(After("u"), NOON, EARLY, "03 12:00")
    assert found == (
        (at("03 02:00"), at("03 05:00"), at("03 15:00")),
        "whole_day",
        (at("03 00:00"), at("04 00:00")),
        (),
    )
    assert found.rule == "whole_day"
    hourly = waits(After("u"), Hourly(), DiscreteHours([3, 6, 8]), "03 04:00")
    assert (shown(hourly), hourly.rule) == ("03 03:00", "carried")
    assert hourly.window == (at("03 02:00") + timedelta(microseconds=1), at("03 03:00") + timedelta(microseconds=1))
    nothing = waits(After("u"), EARLY, Weekly("mon"), "03 05:00")
    assert (nothing.slots, nothing.rule) == ((), "none")


def test_a_slot_after_the_cursor_counts_though_no_run_exists_yet() -> None:
    found = waits(After("u"), EARLY, NOON, "03 02:00", history=((), at("02 12:00")))
    assert (shown(found), found.absent) == ("03 12:00", ())
    never_planned = waits(After("u"), EARLY, NOON, "03 02:00", history=History((), None))
    assert shown(never_planned) == "03 12:00"


@pytest.mark.parametrize(
    ("on_absent", "slots", "absent"),
    [
        ("ignore", "03 02:00 03 15:00", "05"),
        ("wait", "03 02:00 03 05:00 03 15:00", "05"),
        ("fail", "03 02:00 03 15:00", "05"),
    ],
)
def test_a_slot_that_the_cursor_passed_without_a_run_is_absent(on_absent: Any, slots: str, absent: str) -> None:
    history = History([at("02 15:00"), at("03 02:00")], at("03 05:00"))
    found = waits(After("u", on_absent=on_absent), NOON, EARLY, "03 12:00", history=history)
    assert shown(found) == slots
    assert [f"{slot:%H}" for slot in found.absent] == [absent]


def test_an_absent_slot_keeps_its_place_in_the_counts() -> None:
    history = History([at("03 02:00")], at("03 16:00"))
    found = waits(After("u"), DiscreteHours([3, 6, 8]), EARLY, "03 08:00", history=history)
    assert (found.slots, found.rule, found.absent) == ((), "one_to_one", (at("03 15:00"),))
    past_day = History([at("03 02:00")], at("05 02:00"))
    again = waits(After("u"), DiscreteHours([3, 6, 8]), EARLY, "03 03:00", history=past_day)
    assert (shown(again), again.rule) == ("03 02:00", "one_to_one")


def test_take_chooses_among_what_is_there_unless_absence_matters() -> None:
    history = History([at("03 02:00"), at("03 05:00")], at("03 15:00"))
    for way, slots, absent in (("ignore", "03 05:00", 1), ("wait", "03 15:00", 1), ("fail", "", 1)):
        after = After("u", take="last", on_absent=way)  # type: ignore[arg-type]
        found = waits(after, NOON, EARLY, "03 12:00", history=history)
        assert (shown(found), len(found.absent)) == (slots, absent)


def test_a_changed_timetable_does_not_rewrite_history() -> None:
    recorded = [at("02 01:00"), at("02 07:00"), at("03 01:00")]
    history = History(recorded, at("03 03:00"))
    assert shown(waits(After("u", previous=1), NOON, EARLY, "03 12:00", history=history)) == "02 01:00 02 07:00"
    today = waits(After("u"), NOON, EARLY, "03 12:00", history=history)
    assert (shown(today), today.absent) == ("03 01:00 03 05:00 03 15:00", ())


def test_a_longer_history_of_the_same_list_is_seen() -> None:
    recorded = [at("03 02:00")]
    after = After("u")
    assert waits(after, NOON, EARLY, "03 12:00", history=(recorded, at("03 05:00"))).absent == (at("03 05:00"),)
    recorded.append(at("03 05:00"))
    assert waits(after, NOON, EARLY, "03 12:00", history=(recorded, at("03 05:00"))).absent == ()


def test_a_dag_on_itself_goes_back_over_days_and_starts_with_nothing() -> None:
    bounds = (at("01 00:00"), None)
    keywords: dict[str, Any] = {"same_dag": True, "downstream_bounds": bounds, "upstream_bounds": bounds}
    assert shown(waits(After("a", previous=1), EARLY, EARLY, "03 02:00", **keywords)) == "02 15:00"
    assert shown(waits(After("a", previous=4), EARLY, EARLY, "03 02:00", **keywords)) == "01 15:00"
    first = waits(After("a", previous=1), EARLY, EARLY, "01 02:00", **keywords)
    assert (first.slots, first.rule) == ((), "none")
    weekly = Weekly("mon", at="06:00", calendar=Weekends())
    assert shown(waits(After("a", previous=2), weekly, weekly, "20 06:00", same_dag=True)) == "06 06:00"
    history = History([at("02 05:00")], at("02 15:00"))
    passed = waits(After("a", previous=1), EARLY, EARLY, "03 02:00", same_dag=True, history=history)
    assert (passed.slots, passed.absent) == ((), (at("02 15:00"),))


def test_a_dag_cannot_wait_for_its_own_run_of_the_same_period() -> None:
    with pytest.raises(ValueError, match="never ends; write After\\('a', previous=1\\) for the run before"):
        waits(After("a"), EARLY, EARLY, "03 02:00", same_dag=True)
    other = waits(After("b"), EARLY, EARLY, "03 02:00")
    assert other.rule == "one_to_one", "equal timetables are not taken for one DAG"


def test_dates_cut_slots_and_data_intervals_by_their_starts() -> None:
    bounds = (at("03 04:00"), at("03 05:00"))
    assert shown(waits(After("u"), NOON, EARLY, "03 12:00", upstream_bounds=bounds)) == "03 05:00"
    intervals = CronDataIntervalTimetable("0 2,5,15 * * *", "UTC")
    assert (
        shown(waits(After("u"), NOON, intervals, "03 12:00", upstream_bounds=(at("03 01:00"), None)))
        == "03 05:00 03 15:00"
    )
    assert (
        shown(waits(After("u"), NOON, intervals, "03 12:00", upstream_bounds=(None, at("03 04:00"))))
        == "03 02:00 03 05:00"
    )


def test_days_are_those_of_the_zone_that_the_dependency_names() -> None:
    shanghai = Daily("01:00", timezone="Asia/Shanghai")
    hourly = DiscreteHours([0, 12, 20])
    assert shown(waits(After("u"), shanghai, hourly, "02 17:00")) == "02 20:00 03 00:00 03 12:00"
    assert shown(waits(After("u", zone="UTC"), shanghai, hourly, "02 17:00")) == "02 00:00 02 12:00 02 20:00"


def test_counts_do_not_flip_when_the_upstream_has_another_zone() -> None:
    given, berlin = DiscreteHours(range(24)), Hourly(timezone="Europe/Berlin")
    for day in (datetime(2024, 3, 31, 6, tzinfo=UTC), datetime(2024, 10, 27, 6, tzinfo=UTC)):
        found = upstream_slots(After("u"), downstream=given, upstream=berlin, at=day)
        assert (found.slots, found.rule) == ((day,), "one_to_one")


def test_a_run_that_its_timetable_does_not_plan_goes_by_intervals() -> None:
    found = waits(After("u"), EARLY, DiscreteHours([3, 6, 8]), "03 07:00")
    assert (shown(found), found.rule) == ("03 06:00", "backward")


def test_crons_are_read_by_their_fields() -> None:
    hourly, noon = CronTriggerTimetable("0 * * * *", timezone="UTC"), CronTriggerTimetable("0 12 * * *", timezone="UTC")
    assert len(waits(After("u"), noon, hourly, "03 12:00").slots) == 24
    uneven = CronTriggerTimetable("0,10 * * * *", timezone="UTC")
    every = Minutely(20)
    assert shown(waits(After("u"), uneven, every, "03 00:00")) == "02 23:20 02 23:40 03 00:00"
    assert shown(waits(After("u"), uneven, every, "03 00:10")) == ""
    assert shown(waits(After("u", previous=1), every, uneven, "03 01:00")) == "03 00:00 03 00:10"
    several = MultipleCronTriggerTimetable("0 2 * * *", "0 5,15 * * *", timezone="UTC")
    assert shown(waits(After("u"), NOON, several, "03 12:00")) == "03 02:00 03 05:00 03 15:00"


def test_a_span_steps_from_the_start_date_and_after_the_cursor_from_the_last_run() -> None:
    start = (at("01 00:10"), None)
    steps = DeltaTriggerTimetable(timedelta(hours=10))
    assert shown(waits(After("u"), NOON, steps, "03 12:00", upstream_bounds=start)) == "03 02:10 03 12:10 03 22:10"
    history = History([at("03 01:00")], at("03 01:00"))
    assert shown(waits(After("u"), NOON, steps, "03 12:00", upstream_bounds=start, history=history)) == (
        "03 01:00 03 11:00 03 21:00"
    )
    intervals = DeltaDataIntervalTimetable(timedelta(days=1))
    assert shown(waits(After("u"), NOON, intervals, "02 12:00", upstream_bounds=start)) == "02 00:10"
    assert shown(waits(After("u"), NOON, intervals, "01 12:00", upstream_bounds=start)) == ""
    months = DeltaTriggerTimetable(relativedelta(months=1))
    january = (datetime(2024, 1, 3, 6, tzinfo=UTC), None)
    assert shown(waits(After("u"), NOON, months, "03 12:00", upstream_bounds=january)) == "03 06:00"


def test_events_and_timetables_without_slots() -> None:
    events = EventsTimetable([at("03 07:00"), at("03 09:00"), at("05 09:00")])
    assert shown(waits(After("u"), NOON, events, "03 12:00")) == "03 07:00 03 09:00"
    for never in (NullTimetable(), OnceTimetable(), ContinuousTimetable()):
        assert waits(After("u"), NOON, never, "03 12:00").rule == "none"


class Shifts(Timetable):
    """An author's: every eight hours from 06:00, asked one run at a time."""

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        last = last_automated_data_interval
        start = at("01 06:00") if last is None else last.end
        while restriction.earliest is not None and start < restriction.earliest:
            start += timedelta(hours=8)
        return DagRunInfo.interval(start, start + timedelta(hours=8))


class Declared(Shifts):
    granularity = "discrete_hours"

    def slots_between(self, start: datetime, end: datetime) -> list[datetime]:
        return [slot for slot in (at("03 14:00"), at("03 06:00")) if start <= slot < end]


class Stuck(Shifts):
    def next_dagrun_info(self, **_: Any) -> DagRunInfo | None:
        return DagRunInfo.exact(at("03 06:00"))


def test_an_authors_timetable_is_walked_or_asked_for_its_slots() -> None:
    assert shown(waits(After("u"), NOON, Shifts(), "03 12:00")) == "03 06:00 03 14:00 03 22:00"
    hourly = waits(After("u"), Hourly(), Shifts(), "03 14:00")
    assert (shown(hourly), hourly.rule) == ("03 14:00", "same_hour"), "several slots a day, none declared: hour"
    declared = waits(After("u"), Hourly(), Declared(), "03 07:00")
    assert (shown(declared), declared.rule) == ("03 06:00", "carried")


def test_an_authors_timetable_that_does_not_advance_raises() -> None:
    with pytest.raises(PlanningError, match="Stuck does not advance"):
        waits(After("u"), NOON, Stuck(), "03 12:00")

    class Odd(Shifts):
        granularity: Any = "fortnight"

    with pytest.raises(AirflowTimetableInvalid, match="Odd.granularity is 'fortnight'; write one of 'minute'"):
        waits(After("u"), NOON, Odd(), "03 12:00")


def test_a_calendar_leaves_days_without_an_upstream_slot() -> None:
    workdays = Daily("12:00", calendar=Weekends())
    assert waits(After("u"), EARLY, workdays, "04 05:00").rule == "none"
    assert shown(waits(After("u"), EARLY, workdays, "06 05:00")) == "06 12:00"


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        upstream_slots(After("u"), downstream=NOON, upstream=EARLY, at=datetime(2024, 5, 3, 12))


def test_memory_stays_bounded_over_years_and_dependencies() -> None:
    resolver = Resolver(After("u"), Hourly(), Minutely(30))
    for day in range(400):
        resolver.resolve(at("01 00:00") + day * DAY)
    days = resolver._downstream_days._days, resolver._upstream_days._days
    assert max(map(len, days)) <= 64
    from gnomon.rules.dependencies.resolver import _RESOLVERS

    for number in range(MAX_RESOLVERS + 10):
        waits(After(f"u{number}"), NOON, EARLY, "03 12:00")
    assert len(_RESOLVERS) <= MAX_RESOLVERS


@pytest.mark.soak
def test_a_year_of_minutes_on_minutes_has_every_line() -> None:
    downstream, upstream, after = (
        Minutely(timezone="America/New_York"),
        Minutely(timezone="America/New_York"),
        After("u"),
    )
    start = datetime(2025, 1, 1, 5, tzinfo=UTC)
    slots = list(downstream.slots_between(start, start + 365 * DAY))
    assert len(slots) == 525_600
    doubled = 0
    for slot in slots:
        found = upstream_slots(after, downstream=downstream, upstream=upstream, at=slot).slots
        assert slot in found
        doubled += len(found) == 2
    assert doubled == 120, "each minute of the hour that comes twice waits for both"
