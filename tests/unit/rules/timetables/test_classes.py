"""What each built-in timetable is: arguments, stored form, words, and the cases that Airflow loses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pendulum
import pytest
import time_machine
from dateutil.relativedelta import FR, relativedelta

from gnomon.calendars import Weekends
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.rules.timetables.partition_timetables import CronPartitionTimetable
from gnomon.rules.timetables.spans import decode_span, encode_span
from gnomon.timetables import (
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
    build,
    reference,
)

NOON = datetime(2024, 3, 6, 12, tzinfo=UTC)
FREE = TimeRestriction(None, None, False)
WEEK = [NOON + timedelta(days=day) for day in range(7)]


@pytest.mark.parametrize(
    ("timetable", "data"),
    [
        (
            CronTriggerTimetable("@daily", timezone="Europe/Berlin"),
            {"expression": "0 0 * * *", "timezone": "Europe/Berlin", "interval": 0.0, "run_immediately": False},
        ),
        (
            CronTriggerTimetable(
                "0 0 * * *", timezone=UTC, interval=relativedelta(months=1), run_immediately=timedelta(minutes=5)
            ),
            {"expression": "0 0 * * *", "timezone": "UTC", "interval": {"months": 1}, "run_immediately": 300.0},
        ),
        (CronDataIntervalTimetable("0 6 * * *", 3600), {"expression": "0 6 * * *", "timezone": 3600}),
        (DeltaDataIntervalTimetable(timedelta(hours=1)), {"delta": 3600.0}),
        (DeltaTriggerTimetable(relativedelta(days=1, hours=2)), {"delta": {"days": 1, "hours": 2}, "interval": 0.0}),
        (
            MultipleCronTriggerTimetable("0 1 * * *", "0 2 * * *", timezone="UTC"),
            {
                "expressions": ["0 1 * * *", "0 2 * * *"],
                "timezone": "UTC",
                "interval": 0.0,
                "run_immediately": False,
            },
        ),
        (NullTimetable(), {}),
        (OnceTimetable(), {}),
        (ContinuousTimetable(), {}),
    ],
)
def test_stored_form(timetable: Any, data: dict[str, Any]) -> None:
    ref = reference(timetable)
    assert (ref.path, ref.data, ref.builtin) == (type(timetable).__name__, data, True)
    assert build(ref) == timetable


@pytest.mark.parametrize(
    ("zone", "stored"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
        (pendulum.timezone("Europe/Berlin"), "Europe/Berlin"),
        (pendulum.UTC, "UTC"),
        (UTC, "UTC"),
        ("utc", "UTC"),
        (timezone(timedelta(hours=2)), 7200),
        (pendulum.FixedTimezone(-5400), -5400),
    ],
)
def test_zones_of_all_kinds_are_taken(zone: object, stored: object) -> None:
    assert CronDataIntervalTimetable("@daily", zone).serialize()["timezone"] == stored


@pytest.mark.parametrize(
    "zone",
    [
        "Mars/Base",
        "../etc/passwd",
        "Europe",
        "",
        "europe//berlin",
        "zone.tab",
        "tzdata.zi",
        "x" * 3_000,
        "Europe/" + "x" * 300,
        "Europe/a\0b",
    ],
)
def test_a_zone_that_is_not_there_is_named(zone: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=r"time zone '.*' is not in the tz database \d{4}"):
        CronTriggerTimetable("@daily", timezone=zone)


def test_a_path_of_airflow_builds_the_same_class() -> None:
    ref = reference(NullTimetable())
    renamed = type(ref)(path="airflow.timetables.simple.NullTimetable", data={})
    assert build(renamed) == NullTimetable()


def test_an_author_class_is_stored_with_its_path_and_not_built_here() -> None:
    class Mine(NullTimetable):
        pass

    ref = reference(Mine())
    assert not ref.builtin
    assert ref.path.endswith(".Mine")
    with pytest.raises(AirflowTimetableInvalid, match="an author's class only runs in a timetable host"):
        build(ref)


def test_data_of_another_class_is_an_error_that_says_so() -> None:
    ref = reference(OnceTimetable())
    with pytest.raises(AirflowTimetableInvalid, match=r"CronTriggerTimetable cannot be read .*KeyError: 'expression'"):
        build(type(ref)(path="CronTriggerTimetable", data={"no": 1}))


def test_a_subclass_that_defines_nothing_loads_and_says_what_it_lacks() -> None:
    class Bare(Timetable):
        pass

    bare = Bare()
    assert (bare.summary, bare.description, bare.serialize(), Bare.deserialize({}).periodic) == ("Bare", "", {}, True)
    with pytest.raises(NotImplementedError, match="Bare lacks next_dagrun_info"):
        bare.next_dagrun_info(last_automated_data_interval=None, restriction=FREE)
    with pytest.raises(NotImplementedError, match="Bare lacks infer_manual_data_interval"):
        bare.infer_manual_data_interval(run_after=NOON)


def test_summary_and_description_may_be_attributes_of_the_instance() -> None:
    class Mine(Timetable):
        def __init__(self) -> None:
            self.summary = "after each workday"
            self.description = "After each workday, at eight"

    assert (Mine().summary, Mine().description) == ("after each workday", "After each workday, at eight")


@pytest.mark.parametrize(
    "moments", [{"run_after": NOON}, {"logical_date": NOON}, {"run_after": NOON, "logical_date": None}]
)
def test_run_ids_by_either_dialect(moments: dict[str, datetime]) -> None:
    run_id = NullTimetable().generate_run_id(run_type=DagRunType.MANUAL, data_interval=None, **moments)
    assert run_id == "manual__2024-03-06T12:00:00+00:00"


def test_pendulum_in_standard_library_out() -> None:
    daily = CronTriggerTimetable("@daily", timezone="Europe/Berlin")
    earliest = pendulum.datetime(2024, 1, 1, tz="Europe/Berlin")
    last = DataInterval(earliest, earliest)
    info = daily.next_dagrun_info(last_automated_data_interval=last, restriction=TimeRestriction(earliest, None, True))
    assert info is not None
    assert type(info.run_after) is datetime
    assert info.run_after == datetime(2024, 1, 1, 23, tzinfo=UTC)
    assert daily.infer_manual_data_interval(run_after=earliest).end.tzinfo is UTC


def test_the_public_protocol_reads_the_clock() -> None:
    with time_machine.travel(NOON, tick=False):
        info = OnceTimetable().next_dagrun_info(last_automated_data_interval=None, restriction=FREE)
    assert info == DagRunInfo.exact(NOON)


@pytest.mark.parametrize(
    ("run_immediately", "age", "expected"),
    [
        (True, timedelta(hours=23), "past"),
        (timedelta(hours=2), timedelta(hours=2), "past"),
        (timedelta(hours=2), timedelta(hours=3), "next"),
        (False, timedelta(hours=2), "past"),
        (False, timedelta(hours=3), "next"),
        (None, timedelta(hours=2), "past"),
        (None, timedelta(hours=3), "next"),
    ],
)
def test_the_first_run_of_a_dag_without_start_date(run_immediately: Any, age: timedelta, expected: str) -> None:
    midnight = datetime(2024, 3, 6, tzinfo=UTC)
    daily = CronTriggerTimetable("@daily", timezone="UTC", run_immediately=run_immediately)
    info = daily.plan_next(None, TimeRestriction(None, None, True), midnight + age)
    assert info is not None
    assert info.run_after == (midnight if expected == "past" else midnight + timedelta(days=1))


def test_multiple_needs_an_expression_and_makes_one_run_of_equal_ones() -> None:
    with pytest.raises(ValueError, match="at least one cron expression"):
        MultipleCronTriggerTimetable(timezone="UTC")
    assert MultipleCronTriggerTimetable("@daily", "0 0 * * *", timezone="UTC").summary == "0 0 * * *, 0 0 * * *"
    twice = MultipleCronTriggerTimetable("0 0 * * *", "0 0 * * *", "@daily", timezone="UTC")
    assert list(twice.slots_between(NOON, NOON + timedelta(days=2))) == [
        datetime(2024, 3, 7, tzinfo=UTC),
        datetime(2024, 3, 8, tzinfo=UTC),
    ]


def test_several_expressions_are_described_one_by_one_also_where_no_describer_reads_one() -> None:
    both = MultipleCronTriggerTimetable("*/54 * * * 5L", "0 12 * * mon", timezone="UTC")
    assert both.description == "*/54 * * * 5L, At 12:00, only on Monday"
    assert MultipleCronTriggerTimetable("*/54 * * * 5L", timezone="UTC").description == ""


def test_months_without_a_start_date_and_without_catchup_count_from_now() -> None:
    now = datetime(2018, 11, 3, 9, tzinfo=UTC)
    first = DeltaDataIntervalTimetable(relativedelta(months=1)).plan_next(None, TimeRestriction(None, None, False), now)
    assert first == DagRunInfo.interval(datetime(2018, 10, 3, 9, tzinfo=UTC), now)


def test_a_late_event_is_not_lost() -> None:
    events = EventsTimetable(WEEK)
    late = events.plan_next(DagRunInfo.exact(WEEK[0]), FREE, WEEK[3] + timedelta(seconds=1))
    assert late == DagRunInfo.exact(WEEK[3])


def test_events_begin_with_the_present_without_catchup() -> None:
    assert EventsTimetable(WEEK).plan_next(None, FREE, WEEK[3] + timedelta(seconds=1)) == DagRunInfo.exact(WEEK[4])
    assert EventsTimetable(WEEK).plan_next(None, TimeRestriction(None, None, True), WEEK[3]) == DagRunInfo.exact(
        WEEK[0]
    )


def test_an_event_without_a_zone_is_refused() -> None:
    with pytest.raises(AirflowTimetableInvalid, match=r"in event_dates is not a datetime with a time zone"):
        EventsTimetable([datetime(2024, 1, 1)])


def test_monthly_intervals_without_catchup_lie_on_the_steps_from_the_start_date() -> None:
    monthly = DeltaDataIntervalTimetable(relativedelta(months=1))
    start = datetime(2024, 1, 15, 6, tzinfo=UTC)
    info = monthly.plan_next(None, TimeRestriction(start, None, False), datetime(2024, 6, 20, tzinfo=UTC))
    assert info == DagRunInfo.interval(start.replace(month=5), start.replace(month=6))
    early = monthly.plan_next(None, TimeRestriction(start, None, False), datetime(2024, 1, 20, tzinfo=UTC))
    assert early == DagRunInfo.interval(start, start.replace(month=2))


@pytest.mark.parametrize("span", [timedelta(), timedelta(seconds=-1), relativedelta(months=-1), relativedelta()])
def test_a_schedule_that_does_not_go_forward_is_refused(span: Any) -> None:
    for timetable in (DeltaTriggerTimetable(span), DeltaDataIntervalTimetable(span)):
        with pytest.raises(AirflowTimetableInvalid, match="must step forward"):
            timetable.validate()


@pytest.mark.parametrize(
    ("span", "calendar", "words"),
    [
        (timedelta(microseconds=1), None, "at least 1 s"),
        (timedelta(seconds=59), Weekends(), "at least 60 s"),
        (relativedelta(months=1, days=-28, microseconds=1), None, "at least 86400 s"),
        (relativedelta(years=1, days=-365, seconds=5), None, "at least 86400 s"),
        (relativedelta(months=3, days=-89), None, "must step forward"),
        (relativedelta(seconds=30, minute=0), None, "move an instant back"),
        (relativedelta(hours=23, hour=6), None, "move an instant back"),
        (relativedelta(days=28, day=1), None, "move an instant back"),
        (relativedelta(days=1, weekday=FR(-1)), None, "must step forward"),
        (relativedelta(days=6, weekday=FR(-1)), None, "move an instant back"),
        (relativedelta(weekday=FR(1)), None, "at least 1 s"),
        (relativedelta(microseconds=1, weekday=FR(1)), None, "at least 1 s"),
    ],
)
def test_a_schedule_whose_steps_may_be_tiny_or_go_in_a_circle_is_refused(span: Any, calendar: Any, words: str) -> None:
    """The scheduler counts such steps one by one: it would do nothing else."""
    for timetable in (
        DeltaTriggerTimetable(span, calendar=calendar),
        DeltaDataIntervalTimetable(span, calendar=calendar),
    ):
        with pytest.raises(AirflowTimetableInvalid, match=words):
            timetable.validate()


@pytest.mark.parametrize(
    ("span", "calendar"),
    [
        (timedelta(seconds=1), None),
        (timedelta(minutes=1), Weekends()),
        (relativedelta(months=1), None),
        (relativedelta(months=2, days=-58), None),
        (relativedelta(months=1, day=1), None),
        (relativedelta(years=1, month=1, day=1), None),
        (relativedelta(days=1, hour=6, minute=30), None),
        (relativedelta(hours=1, minute=0, second=0, microsecond=0), None),
        (relativedelta(weekday=FR(2)), None),
        (relativedelta(days=1, weekday=FR), None),
        (relativedelta(days=7, weekday=FR(-1)), None),
        (relativedelta(days=1, weekday=FR(2), hour=6), None),
    ],
)
def test_a_schedule_whose_every_step_goes_forward_is_taken(span: Any, calendar: Any) -> None:
    timetable = DeltaTriggerTimetable(span, calendar=calendar)
    timetable.validate()
    start = datetime(2024, 1, 31, 23, 59, 59, 999_999, UTC)
    slots = list(islice(timetable.slots_between(start, start + timedelta(days=3000)), 50))
    assert slots == sorted(set(slots)) and len(slots) > 5


@pytest.mark.parametrize("ticks", [2_001, -2_001, 10**12])
def test_an_offset_of_partitions_is_counted_for_each_run_and_bounded(ticks: int) -> None:
    with pytest.raises(ValueError, match="at most 2,000 ticks"):
        CronPartitionTimetable("* * * * *", timezone="UTC", run_offset=ticks)
    assert (
        CronPartitionTimetable("* * * * *", timezone="UTC", run_offset=-2_000).make_info(
            datetime(2024, 1, 3, tzinfo=UTC)
        )
        is not None
    )


@pytest.mark.parametrize(
    "span", [timedelta(seconds=90), relativedelta(months=1, days=2), relativedelta(days=1, weekday=FR(2), hour=6)]
)
def test_spans_survive_json(span: Any) -> None:
    assert decode_span(encode_span(span)) == span


def test_words() -> None:
    assert CronTriggerTimetable("@midnight", timezone="UTC").description == "At 00:00"
    assert CronTriggerTimetable("0 0 1 * fri", timezone="UTC").description == (
        "At 00:00, on day 1 of the month (or) At 00:00, only on Friday"
    )
    assert CronTriggerTimetable("0 0 1 * l5,MON#2", timezone="UTC").description == (
        "At 00:00, on the second Monday of the month (or) At 00:00, on the last Friday of the month"
    )
    assert CronTriggerTimetable("0 0 w15 * *", timezone="UTC").description == (
        "At 00:00, on the weekday nearest day 15 of the month"
    )
    assert CronTriggerTimetable("0 0 * * * 30", timezone="UTC").description == ""
    assert CronTriggerTimetable("not cron", timezone="UTC").description == ""


@pytest.mark.parametrize("given", [None, 5, timedelta(days=1), ["0 0 * * *"]])
def test_what_is_no_text_is_no_cron(given: Any) -> None:
    for make in (lambda: CronTriggerTimetable(given, timezone="UTC"), lambda: CronDataIntervalTimetable(given, "UTC")):
        with pytest.raises(TypeError, match=r"Cron\w+ takes a cron expression as text, such as"):
            make()
