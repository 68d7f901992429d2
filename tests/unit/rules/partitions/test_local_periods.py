"""Roll-ups over local days, weeks and months against an oracle that walks through every minute."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from gnomon import partitions as p
from gnomon.rules.partitions.period_starts import PeriodUnit, find_starts, localize
from gnomon.rules.timetables.wall_clock.zones import zone_of

EXACT = "%Y-%m-%dT%H:%M:%S%z"
ZONES = (
    "UTC",
    "Europe/Zurich",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Havana",
    "Africa/Cairo",
    "Asia/Kathmandu",
)
CHANGES = {
    "Europe/Zurich": (date(2024, 3, 31), date(2024, 10, 27)),
    "America/New_York": (date(2024, 3, 10), date(2024, 11, 3)),
    "Australia/Lord_Howe": (date(2024, 4, 7), date(2024, 10, 6)),
    "America/Havana": (date(2024, 3, 10), date(2024, 11, 3)),
    "Africa/Cairo": (date(2024, 4, 26), date(2024, 10, 31)),
}


def _minutes(zone: str, first: date, days: int) -> list[datetime]:
    """Every minute of those local days, as moments of the zone."""
    tz = zone_of(zone)
    at = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(days=1)
    last = first + timedelta(days=days)
    found = []
    while (local := at.astimezone(tz)).date() < last:
        if local.date() >= first:
            found.append(local)
        at += timedelta(minutes=1)
    return found


def _hours_of_days(zone: str, first: date, days: int) -> dict[str, list[datetime]]:
    """Day to the moments at which its hours begin: at a full hour, or where a clock change enters an hour behind its beginning."""
    found: dict[str, list[datetime]] = defaultdict(list)
    before: datetime | None = None
    for moment in _minutes(zone, first, days):
        if moment.minute == 0 or before is None or before.hour != moment.hour:
            found[moment.strftime("%Y-%m-%d")].append(moment)
        before = moment
    return found


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_needs_each_hour_that_it_has(zone: str) -> None:
    mapper = p.RollupMapper(upstream_mapper=p.StartOfDayMapper(timezone=zone, input_format=EXACT), window=p.DayWindow())
    for day in CHANGES.get(zone, (date(2024, 2, 29),)):
        for key, hours in _hours_of_days(zone, day - timedelta(days=1), 3).items():
            assert mapper.to_upstream(key) == {hour.strftime(EXACT) for hour in hours}, key
            for hour in hours:
                assert mapper.to_downstream(hour.strftime(EXACT)) == key


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Zurich", "2024-03-31", 23),
        ("Europe/Zurich", "2024-10-27", 25),
        ("Australia/Lord_Howe", "2024-10-06", 24),
        ("America/Havana", "2024-11-03", 25),
        ("Africa/Cairo", "2024-04-26", 23),
    ],
)
def test_days_of_23_and_25_hours(zone: str, day: str, hours: int) -> None:
    exact = p.RollupMapper(upstream_mapper=p.StartOfDayMapper(timezone=zone, input_format=EXACT), window=p.DayWindow())
    assert len(exact.to_upstream(day)) == hours
    fan = p.FanOutMapper(
        upstream_mapper=p.StartOfDayMapper(timezone=zone, input_format="%Y-%m-%d"),
        window=p.DayWindow(),
        downstream_mapper=p.StartOfHourMapper(timezone=zone, output_format="%Y-%m-%dT%H%z"),
    )
    assert len(fan.to_downstream(day)) == hours


def test_keys_without_an_offset_name_the_hours_that_a_clock_shows() -> None:
    mapper = p.RollupMapper(upstream_mapper=p.StartOfDayMapper(timezone="Europe/Zurich"), window=p.DayWindow())
    spring, autumn = mapper.to_upstream("2024-03-31"), mapper.to_upstream("2024-10-27")
    assert len(spring) == 23 and "2024-03-31T02:00:00" not in spring
    assert len(autumn) == 24


def test_a_day_that_begins_after_midnight_and_one_that_does_not_exist() -> None:
    daily = p.StartOfMonthMapper(timezone="Africa/Cairo", input_format=EXACT)
    members = p.RollupMapper(upstream_mapper=daily, window=p.MonthWindow()).to_upstream("2024-04")
    assert "2024-04-26T01:00:00+0300" in members and len(members) == 30
    assert p.StartOfDayMapper(timezone="Africa/Cairo").to_partition_date("2024-04-26") == datetime(
        2024, 4, 25, 22, tzinfo=UTC
    )
    samoa = p.StartOfMonthMapper(timezone="Pacific/Apia", input_format="%Y-%m-%d")
    members = p.RollupMapper(upstream_mapper=samoa, window=p.MonthWindow()).to_upstream("2011-12")
    assert "2011-12-30" not in members and len(members) == 30


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("upstream", "window", "unit"),
    [
        (p.StartOfHourMapper, p.HourWindow, "%Y-%m-%dT%H:%M"),
        (p.StartOfWeekMapper, p.WeekWindow, "%Y-%m-%d"),
        (p.StartOfMonthMapper, p.MonthWindow, "%Y-%m-%d"),
        (p.StartOfQuarterMapper, p.QuarterWindow, "%Y-%m"),
        (p.StartOfYearMapper, p.YearWindow, "%Y-%m"),
    ],
)
def test_every_upstream_period_is_needed_by_exactly_the_run_to_which_it_maps(
    zone: str, upstream: Any, window: Any, unit: str
) -> None:
    """For random days, and those beside clock changes: the members of a window are the periods that map to its key, and no others."""
    mapper = p.RollupMapper(upstream_mapper=upstream(timezone=zone, input_format=unit), window=window())
    chance = random.Random(f"{zone} {unit}")
    days = [date(2024, 1, 1) + timedelta(days=chance.randrange(1500)) for _ in range(1)] + list(CHANGES.get(zone, ()))
    for day in days:
        keys = sorted({moment.strftime(unit) for moment in _minutes(zone, day, 1)})
        for key in keys[:: max(1, len(keys) // 10)]:
            down = mapper.to_downstream(key)
            assert isinstance(down, str)
            members = mapper.to_upstream(down)
            assert key in members, (key, down)
            assert {mapper.to_downstream(member) for member in members} == {down}


def test_the_starts_of_periods() -> None:
    zone = zone_of("Europe/Zurich")
    gap, twice = datetime(2024, 3, 31, 2), datetime(2024, 10, 27, 2)
    assert find_starts(gap, PeriodUnit.HOUR, zone) == []
    assert [one.astimezone(UTC).hour for one in find_starts(twice, PeriodUnit.HOUR, zone)] == [0, 1]
    assert len(find_starts(datetime(2024, 11, 3), PeriodUnit.DAY, zone_of("America/Havana"))) == 1
    assert localize(gap, zone).isoformat() == "2024-03-31T03:00:00+02:00"
    assert localize(twice, zone).isoformat() == "2024-10-27T02:00:00+01:00"
    lord_howe = zone_of("Australia/Lord_Howe")
    assert [one.isoformat() for one in find_starts(datetime(2024, 10, 6, 2), PeriodUnit.HOUR, lord_howe)] == [
        "2024-10-06T02:30:00+11:00"
    ]
