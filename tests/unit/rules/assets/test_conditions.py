"""Conditions over assets, against a reference that is written from the words `all` and `any`."""

from __future__ import annotations

import itertools
import random

import msgspec
import pytest

from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition, AssetKey, AssetLeaf, AssetRefKey
from gnomon.model.sentences import list_spans, render
from gnomon.rules.assets.conditions import (
    describe_leaf,
    find_missing_leaves,
    holds,
    iter_leaves,
    match_leaves,
)
from gnomon.rules.assets.schedule_words import say_condition

LEAVES: tuple[AssetLeaf, ...] = (
    AssetKey("a", "a"),
    AssetKey("b", "s3://b"),
    AliasKey("a"),
    AssetRefKey(name="b"),
    AssetRefKey(uri="s3://b"),
)


def random_condition(rng: random.Random, depth: int) -> AssetCondition:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(LEAVES)
    parts = tuple(random_condition(rng, depth - 1) for _ in range(rng.randint(0, 3)))
    return rng.choice((AllOf, AnyOf))(parts)


def as_python(condition: AssetCondition) -> str:
    """The condition as a Python expression over a set `has`."""
    if isinstance(condition, AllOf):
        return "(" + " and ".join(map(as_python, condition.parts)) + ")" if condition.parts else "False"
    if isinstance(condition, AnyOf):
        return "(" + " or ".join(map(as_python, condition.parts)) + ")" if condition.parts else "False"
    return f"({LEAVES.index(condition)} in has)"


@pytest.mark.parametrize("seed", range(60))
def test_a_condition_holds_exactly_when_the_python_expression_is_true(seed: int) -> None:
    rng = random.Random(seed)
    condition = random_condition(rng, 3)
    expression = compile(as_python(condition), "condition", "eval")
    for size in range(len(LEAVES) + 1):
        for chosen in itertools.combinations(LEAVES, size):
            has = {LEAVES.index(leaf) for leaf in chosen}
            assert holds(condition, set(chosen)) == eval(expression, {"has": has})


@pytest.mark.parametrize("seed", range(60))
def test_the_missing_leaves_are_enough_and_none_of_them_has_an_event(seed: int) -> None:
    rng = random.Random(seed)
    condition = random_condition(rng, 3)
    for chosen in itertools.combinations(LEAVES, 2):
        missing = find_missing_leaves(condition, set(chosen))
        assert not set(missing) & set(chosen)
        if holds(condition, set(chosen)):
            assert not missing
        elif holds(condition, LEAVES):
            assert holds(condition, {*chosen, *missing})


def test_a_condition_survives_json() -> None:
    condition = AllOf((AssetKey("a", "a"), AnyOf((AliasKey("x"), AssetRefKey(uri="s3://b")))))
    assert msgspec.json.decode(msgspec.json.encode(condition), type=AssetCondition) == condition


def test_leaves_are_listed_once_from_left_to_right() -> None:
    condition = AllOf((LEAVES[1], AnyOf((LEAVES[0], LEAVES[1]))))
    assert list(iter_leaves(condition)) == [LEAVES[1], LEAVES[0]]


def test_an_event_satisfies_its_asset_both_references_and_its_aliases() -> None:
    assert match_leaves(AssetKey("b", "s3://b"), ["x"]) == (
        AssetKey("b", "s3://b"),
        AssetRefKey(name="b"),
        AssetRefKey(uri="s3://b"),
        AliasKey("x"),
    )


def test_the_words_name_asset_uri_and_alias() -> None:
    assert describe_leaf(LEAVES[1]) == "asset b (s3://b)"
    assert describe_leaf(AliasKey("x")) == "alias x"
    condition = AllOf((LEAVES[0], AnyOf((LEAVES[1], AliasKey("x")))))
    assert render(say_condition(condition)) == "a AND (b OR alias x)"
    assert [span.value for span in list_spans(say_condition(condition)) if span.value] == ["a", "b"]
