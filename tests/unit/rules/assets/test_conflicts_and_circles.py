"""Names with two URIs, and circles of DAGs."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from gnomon.model.assets import AliasKey, AssetKey, AssetLeaf, AssetRefKey
from gnomon.rules.assets.circles import find_circles
from gnomon.rules.assets.conflicts import Declared, find_conflicts

A, B, C = (AssetKey(name, name) for name in "abc")


def test_the_older_declaration_counts_and_the_error_names_both_places() -> None:
    errors = find_conflicts(
        [
            Declared(20, "late", 2, AssetKey("orders", "s3://other"), "/dags/late.py:7"),
            Declared(10, "early", 1, AssetKey("orders", "s3://orders"), "/dags/early.py:3"),
            Declared(30, "same", 3, AssetKey("orders", "s3://orders"), "/dags/same.py:1"),
        ]
    )
    assert list(errors) == [2]
    for words in ("'orders'", "'s3://other' in /dags/late.py:7", "'s3://orders' in /dags/early.py:3", "DAG 'early'"):
        assert words in errors[2]


def test_one_uri_under_two_names_is_no_conflict() -> None:
    assert (
        find_conflicts([Declared(1, "a", 1, AssetKey("x", "u"), "f"), Declared(2, "b", 2, AssetKey("y", "u"), "g")])
        == {}
    )


def test_a_dag_that_writes_its_own_schedule_is_a_circle() -> None:
    assert find_circles({"d": [A]}, {"d": [A, B]}) == [("d",)]


def test_a_circle_goes_through_references_and_aliases() -> None:
    outlets: dict[str, list[AssetLeaf]] = {"x": [A], "y": [AliasKey("n")]}
    assert find_circles(outlets, {"y": [AssetRefKey(name="a")], "x": [AliasKey("n")]}) == [("x", "y")]
    assert find_circles(outlets, {"y": [AssetRefKey(uri="a")], "x": [AliasKey("m")]}) == []


@pytest.mark.parametrize("seed", range(40))
def test_circles_are_found_exactly_when_some_order_of_dags_closes(seed: int) -> None:
    rng = random.Random(seed)
    dag_ids = ["p", "q", "r", "s"]
    assets = [AssetKey(str(number), str(number)) for number in range(4)]
    outlets = {dag_id: rng.sample(assets, rng.randint(0, 2)) for dag_id in dag_ids}
    schedules = {dag_id: rng.sample(assets, rng.randint(0, 2)) for dag_id in dag_ids}

    def leads(first: str, second: str) -> bool:
        return bool(set(outlets[first]) & set(schedules[second]))

    closed = {
        order
        for size in range(1, 5)
        for order in permutations(dag_ids, size)
        if all(leads(before, after) for before, after in zip(order, (*order[1:], order[0]), strict=True))
    }
    found = find_circles(outlets, schedules)
    assert bool(found) == bool(closed)
    assert set(found) <= closed
