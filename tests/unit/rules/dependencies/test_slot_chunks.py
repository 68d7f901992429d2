"""Timetables with very many slots a day are asked for the few around a run, not for the day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from gnomon.calendars import Weekends
from gnomon.dependencies import After, History, Resolver
from gnomon.rules.dependencies.slot_chunks import compute_chunk_length
from gnomon.rules.dependencies.zone_days import DAY_US, HOUR_US, US
from gnomon.timetables import (
    CronTriggerTimetable,
    Daily,
    DeltaTriggerTimetable,
    DiscreteHours,
    EventsTimetable,
    Hourly,
    Minutely,
    MultipleCronTriggerTimetable,
    Timetable,
)

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
FEW = 500
"""Slots that may be looked at for one run: a hundredth of a day of seconds."""
EVERY_SECOND = CronTriggerTimetable("* * * * * *", timezone="UTC")


class Counted(CronTriggerTimetable):
    """Every second; it counts the slots that it tells."""

    def __init__(self, timezone: str = "UTC") -> None:
        super().__init__("* * * * * *", timezone=timezone)
        self.told = 0

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        for slot in super().slots_between(start, end):
            self.told += 1
            yield slot


@pytest.mark.parametrize(
    ("timetable", "unit"),
    [
        (EVERY_SECOND, 60 * US),
        (DeltaTriggerTimetable(SECOND), 60 * US),
        (CronTriggerTimetable("* 8 * * * */2", timezone="UTC"), 60 * US),
        (Minutely(), HOUR_US),
        (MultipleCronTriggerTimetable("*/10 * * * *", "5 * * * *", timezone="UTC"), HOUR_US),
        (DeltaTriggerTimetable(timedelta(minutes=5)), HOUR_US),
        (DeltaTriggerTimetable(timedelta(minutes=5), calendar=Weekends(), on_holiday="next"), DAY_US),
        (Minutely(10), DAY_US),
        (Hourly(), DAY_US),
        (Daily("12:00"), DAY_US),
        (EventsTimetable([NOON + n * SECOND for n in range(1000)]), DAY_US),
    ],
    ids=str,
)
def test_chunks_are_longer_where_slots_are_rarer(timetable: Timetable, unit: int) -> None:
    assert compute_chunk_length(timetable) == unit


def test_an_authors_timetable_is_asked_for_whole_days() -> None:
    class Own(Timetable):
        granularity = "minute"

    assert compute_chunk_length(Own()) == DAY_US


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize(
    "day",
    [NOON, datetime(2024, 3, 10, 12, tzinfo=UTC), datetime(2024, 11, 3, 12, tzinfo=UTC)],
    ids=["even", "spring", "autumn"],
)
@pytest.mark.parametrize("previous", [None, 1])
def test_a_second_on_a_second_looks_at_a_few_of_both(zone: str, day: datetime, previous: int | None) -> None:
    down, up = Counted(zone), Counted(zone)
    resolver = Resolver(After("u", previous=previous), down, up)
    assert resolver.resolve(day).slots == (day - (previous or 0) * SECOND,)
    assert 0 < down.told + up.told < FEW


def test_the_first_second_of_a_day_looks_no_further() -> None:
    down, up = Counted(), Counted()
    midnight = NOON - timedelta(hours=12)
    assert Resolver(After("u", previous=1), down, up).resolve(midnight).slots == (midnight - SECOND,)
    assert down.told + up.told < FEW


def test_an_hour_on_seconds_looks_at_that_hour() -> None:
    up = Counted()
    found = Resolver(After("u"), Hourly(), up).resolve(NOON)
    assert (len(found.slots), found.slots[-1]) == (3600, NOON)
    assert up.told < 3600 + FEW


def test_a_second_on_itself_looks_at_the_one_before() -> None:
    timetable = Counted()
    resolver = Resolver(After("a", previous=2), timetable, timetable, same_dag=True)
    assert resolver.resolve(NOON).slots == (NOON - 2 * SECOND,)
    assert timetable.told < FEW


def test_a_second_on_discrete_hours_counts_its_day_once() -> None:
    down = Counted()
    resolver = Resolver(After("u"), down, DiscreteHours([3, 8]))
    assert resolver.resolve(NOON).rule == "carried"
    first, down.told = down.told, 0
    assert resolver.resolve(NOON + SECOND).slots == (NOON - timedelta(hours=4),)
    assert first > 86_400 > FEW > down.told


def test_what_ran_in_the_seconds_looked_at_is_seen_there_alone() -> None:
    up = Counted()
    resolver = Resolver(After("u", on_absent="fail"), EVERY_SECOND, up)
    cursor = NOON + 5 * SECOND
    recorded = [NOON + n * SECOND for n in (0, 1, 3)]
    answers = [resolver.resolve(NOON + n * SECOND, History(recorded, cursor, ())) for n in range(7)]
    assert [len(found.slots) for found in answers] == [1, 1, 0, 1, 0, 0, 1]
    assert [len(found.absent) for found in answers] == [0, 0, 1, 0, 1, 1, 0]
    assert up.told < FEW


def test_the_slot_cache_is_bounded() -> None:
    resolver = Resolver(After("u"), Hourly(), EVERY_SECOND)
    for hour in range(12):
        resolver.resolve(NOON + timedelta(hours=hour))
    assert resolver.cached_slot_count < 6_000
