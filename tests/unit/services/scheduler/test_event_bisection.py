"""All items but those that fail alone are applied, once and in order, whatever their number and place."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from gnomon.services.scheduler.event_bisection import apply_bisected


class Commits:
    """Applies items; a part with a poisoned item fails as a whole."""

    def __init__(self, poisoned: set[int]) -> None:
        self.poisoned = poisoned
        self.applied: list[int] = []
        self.failed_alone: list[int] = []
        self.tries = 0

    def apply(self, items: Sequence[int]) -> Exception | None:
        self.tries += 1
        if self.poisoned & set(items):
            return ValueError("poisoned")
        self.applied += items
        return None

    def run(self, count: int, suspects: set[int] | None = None) -> None:
        known = self.poisoned if suspects is None else suspects
        apply_bisected(range(count), self.apply, lambda item, _: self.failed_alone.append(item), known.__contains__)


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("are_found", [True, False])
@pytest.mark.parametrize("place", ["first", "middle", "last", "all", "none", "some"])
def test_everything_but_the_poisoned_is_applied_once_and_in_order(count: int, place: str, are_found: bool) -> None:
    poisoned = {
        "first": {0},
        "middle": {count // 2},
        "last": {count - 1},
        "all": set(range(count)),
        "none": set(),
        "some": set(random.Random(count).sample(range(count), max(1, count // 10))),
    }[place]
    commits = Commits(poisoned)
    commits.run(count, poisoned if are_found else set())
    assert commits.applied == [item for item in range(count) if item not in poisoned]
    assert commits.failed_alone == sorted(poisoned)


def test_an_item_whose_value_is_found_costs_few_tries_and_another_a_logarithm() -> None:
    found, hidden = Commits({500}), Commits({500})
    found.run(1000)
    hidden.run(1000, set())
    assert found.tries == 4, "all, the items before, the poisoned one, the items after"
    assert hidden.tries <= 2 * 10 + 1


def test_a_wrong_suspicion_costs_tries_and_nothing_else() -> None:
    commits = Commits({3})
    commits.run(8, {0, 5, 6})
    assert (commits.applied, commits.failed_alone) == ([0, 1, 2, 4, 5, 6, 7], [3])
