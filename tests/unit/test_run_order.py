"""The order of the tests of several processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.run_order import HOUR_LONG, SECONDS, order

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.pure


def test_each_part_begins_with_what_takes_long_and_ends_with_pure_tests() -> None:
    groups = [["short"], ["long 1", "long 2"], ["middle"], ["longest"]]
    assert order(groups, [1, 30, 10, 35], ["p1", "p2", "p3", "p4", "p5"], 2) == [
        "longest",
        "short",
        "p1",
        "p2",
        "p3",
        "long 1",
        "long 2",
        "middle",
        "p4",
        "p5",
    ]


@pytest.mark.parametrize("processes", [2, 3, 4, 7])
@pytest.mark.parametrize("pure", [0, 1, 5, 100])
def test_each_test_is_there_once_and_groups_stay_together(processes: int, pure: int) -> None:
    groups = [[f"{number}-{each}" for each in range(number % 5 + 1)] for number in range(9)]
    ordered = order(
        groups, [number * 7 % 11 for number in range(9)], [f"p{number}" for number in range(pure)], processes
    )
    assert sorted(ordered) == sorted(
        [*(one for group in groups for one in group), *(f"p{number}" for number in range(pure))]
    )
    for group in groups:
        first = ordered.index(group[0])
        assert ordered[first : first + len(group)] == group


@pytest.mark.parametrize("name", [*SECONDS, *sorted(HOUR_LONG)])
def test_what_takes_long_exists(name: str) -> None:
    assert (ROOT / name).exists()
