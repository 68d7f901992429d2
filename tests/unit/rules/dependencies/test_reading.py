"""The resolver agrees with a slow second reading of the rules, over random timetables, zones, days and dates."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from importlib import resources
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.unit.rules.dependencies.reading import Bounds, Dag, waits_for, waits_for_itself
from tests.unit.rules.timetables.periods import timetable_of
from tests.unit.rules.timetables.walked import random_spec

from gnomon.dependencies import After, upstream_slots

SHORT_CASES, LONG_CASES, A_TEST = 1000, 20_000, 50
SLOTS_A_CASE = 3
CHANGES = {
    "Europe/Berlin": [date(2024, 3, 31), date(2024, 10, 27)],
    "America/New_York": [date(2025, 3, 9), date(2025, 11, 2)],
    "Australia/Lord_Howe": [date(2024, 4, 7), date(2024, 10, 6)],
    "America/Sao_Paulo": [date(2018, 11, 4), date(2018, 2, 17)],
    "Africa/Casablanca": [date(2024, 3, 10), date(2024, 4, 14)],
    "Pacific/Apia": [date(2011, 12, 29), date(2011, 12, 31)],
    "America/Scoresbysund": [date(2024, 3, 31), date(2024, 10, 27)],
    "Asia/Shanghai": [],
    "UTC": [],
}


@pytest.mark.parametrize("first", range(0, SHORT_CASES, A_TEST))
def test_the_resolver_reads_the_rules_alike(first: int) -> None:
    for seed in range(first, first + A_TEST):
        _compare(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(100_000, 100_000 + LONG_CASES, A_TEST))
def test_the_resolver_reads_the_rules_alike_at_length(first: int) -> None:
    for seed in range(first, first + A_TEST):
        _compare(seed)


def _compare(seed: int) -> None:
    random = Random(seed)
    name = random.choice(sorted(CHANGES))
    near = CHANGES[name]
    day = random.choice(near) if near and random.random() < 0.5 else date(2024, 1, 1) + timedelta(random.randrange(700))
    day += timedelta(random.choice([0, 0, 0, 1, -1]))
    zone = _zone(name)
    a = Dag(random_spec(random), zone, _bounds(random, day))
    b = Dag(random_spec(random), zone, _bounds(random, day))
    slots = sorted({slot for _, found in a.slots(day) for slot in found})
    options = _options(random)
    after = After("b", **options)
    downstream, upstream = timetable_of(a.spec, timezone=name), timetable_of(b.spec, timezone=name)
    for at in random.sample(slots, min(SLOTS_A_CASE, len(slots))):
        expected, rule = waits_for(a, b, at, options)
        found = upstream_slots(
            after, downstream=downstream, upstream=upstream, at=at, downstream_bounds=a.bounds, upstream_bounds=b.bounds
        )
        case = f"seed {seed}: {downstream} {a.bounds} on {upstream} {b.bounds} at {at.astimezone(zone)}, {options}"
        assert list(found.slots) == expected, case
        assert found.rule == rule, case
        back = random.randint(1, 2 if a.kind in ("week", "month") else 30)
        itself = upstream_slots(
            After("a", previous=back),
            downstream=downstream,
            upstream=downstream,
            at=at,
            downstream_bounds=a.bounds,
            upstream_bounds=a.bounds,
            same_dag=True,
        )
        assert list(itself.slots) == waits_for_itself(a, at, back), f"{case}, itself {back} back"


def _options(random: Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if random.random() < 0.3:
        options["empty_interval"] = random.choice(["nearest", "forward"])
    if random.random() < 0.3:
        options["take"] = random.choice(["last", "first", "any"])
    if random.random() < 0.4:
        options.update(random.choice([{"period": "previous"}, {"previous": random.randint(1, 30)}]))
    return options


def _bounds(random: Random, day: date) -> Bounds:
    """Mostly none; else dates of the DAG that cut the day, or lie near it."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=random.randrange(-30, 30))
    shape = random.random()
    if shape < 0.7:
        return None, None
    return (moment, None) if shape < 0.85 else (None, moment)


@cache
def _zone(name: str) -> tzinfo:
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as source:
        return ZoneInfo.from_file(source, key=name)
