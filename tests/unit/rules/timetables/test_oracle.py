"""The evaluator agrees with a brute-force oracle on random expressions in all zones over four years."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import resources
from random import Random

import numpy as np
import pytest
from tests.unit.rules.timetables.expressions import expression_around, random_expression
from tests.unit.rules.timetables.oracle import MARGIN_S, instants_between, stretches_of

from gnomon.rules.timetables.cron_timetable import CronClock
from gnomon.rules.timetables.wall_clock.zones import floor_seconds, named_zone

SHORT_CASES, LONG_CASES, CASES_A_ZONE = 200, 5000, 5
YEARS = 4
FIRST_YEAR, LAST_YEAR = 1900, 2050
PROBES = 40


@pytest.mark.parametrize("seed", range(SHORT_CASES // CASES_A_ZONE))
def test_every_label_has_its_run_and_no_run_is_without_a_label(seed: int) -> None:
    _compare(Random(seed))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1000 + LONG_CASES // CASES_A_ZONE))
def test_every_label_has_its_run_and_no_run_is_without_a_label_at_length(seed: int) -> None:
    _compare(Random(seed))


def _compare(random: Random) -> None:
    """Four years of expressions in one zone: every instant, and both directions from random moments."""
    zone = named_zone(random.choice(_zone_names()))
    year = random.randrange(1990, LAST_YEAR - YEARS) if random.random() < 0.8 else random.randrange(FIRST_YEAR, 1990)
    start, end = _second(year), _second(year + YEARS)
    stretches = stretches_of(zone, start - 2 * MARGIN_S, end + 2 * MARGIN_S)
    for _ in range(CASES_A_ZONE):
        change = random.choice(stretches[1:]) if len(stretches) > 1 and random.random() < 0.5 else None
        hour = 0 if change is None else (change.start + change.offset) // 3600 % 24
        expression = random_expression(random) if change is None else expression_around(random, hour)
        clock = CronClock(expression.text, zone)
        expected = instants_between(expression, zone, start, end)
        case = f"{expression.text!r} in {zone} from {year} for {YEARS} years"
        found = np.fromiter(map(datetime.timestamp, clock.between(start, end)), dtype=np.float64)
        assert np.array_equal(found, expected), case
        moments = [random.randrange(start, end) for _ in range(PROBES)]
        moments += [int(random.choice(expected)) for _ in range(PROBES) if len(expected)]
        moments += [one.start + random.randrange(-7200, 7200) for one in stretches[1:]]
        for moment in (one for one in moments if start <= one < end):
            at = int(np.searchsorted(expected, moment))
            if at < len(expected):
                assert clock.on_or_after(moment) == expected[at], f"{case}, on or after {moment}"
            past = int(np.searchsorted(expected, moment, side="right"))
            if past:
                assert clock.on_or_before(moment) == expected[past - 1], f"{case}, on or before {moment}"


def _second(year: int) -> int:
    return floor_seconds(datetime(year, 1, 1, tzinfo=UTC))


@cache
def _zone_names() -> list[str]:
    return resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
