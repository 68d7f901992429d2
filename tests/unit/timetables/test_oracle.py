"""The evaluator agrees with a brute-force oracle on random expressions, zones and stretches of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from importlib import resources
from random import Random

import pytest
from tests.unit.timetables.oracle import expression_around, instants_between, random_expression

from gnomon.timetables.cronclock import CronClock
from gnomon.timetables.zones import floor_seconds, named_zone

SHORT_CASES, LONG_CASES, CASES_A_TEST = 200, 5000, 25
SHORT_DAYS, LONG_DAYS = 5, 40


@pytest.mark.parametrize("seed", range(SHORT_CASES // CASES_A_TEST))
def test_agrees_with_minute_by_minute(seed: int) -> None:
    random = Random(seed)
    for _ in range(CASES_A_TEST):
        _compare(random, SHORT_DAYS)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1000 + LONG_CASES // CASES_A_TEST))
def test_agrees_with_minute_by_minute_at_length(seed: int) -> None:
    random = Random(seed)
    for _ in range(CASES_A_TEST):
        _compare(random, LONG_DAYS)


def _compare(random: Random, days: int) -> None:
    zone = named_zone(random.choice(_zone_names()))
    start = datetime(random.randrange(1990, 2050), 1, 1, tzinfo=UTC) + timedelta(hours=random.randrange(365 * 24))
    change = _clock_change_after(start, zone) if random.random() < 0.7 else None
    if change is None:
        expression = random_expression(random)
    else:
        expression = expression_around(random, change.astimezone(zone).hour)
        start = change - timedelta(hours=random.randrange(1, (days - 1) * 24))
    end = start + timedelta(days=days)
    clock = CronClock(expression.text, zone)
    case = f"{expression.text!r} in {zone} from {start.isoformat()} for {days} days"
    expected = instants_between(expression, zone, start, end)
    assert list(clock.between(floor_seconds(start), floor_seconds(end))) == expected, case
    for before, after in zip(expected[:40], expected[1:41], strict=False):
        assert clock.on_or_after(floor_seconds(before) + 1) == floor_seconds(after), case
        assert clock.on_or_before(floor_seconds(after) - 1) == floor_seconds(before), case
        assert clock.on_or_before(floor_seconds(after)) == floor_seconds(after), case


def _clock_change_after(moment: datetime, zone: tzinfo) -> datetime | None:
    """The hour in which the zone's clock changes next, within a year."""
    for day in range(365):
        ahead = moment + timedelta(days=day)
        if ahead.astimezone(zone).utcoffset() != (ahead + timedelta(days=1)).astimezone(zone).utcoffset():
            hours = (ahead + timedelta(hours=hour) for hour in range(25))
            return next(
                hour for hour in hours if hour.astimezone(zone).utcoffset() != ahead.astimezone(zone).utcoffset()
            )
    return None


@cache
def _zone_names() -> list[str]:
    return resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
