"""Conditions over assets: whether one holds for the leaves that have an event, and which leaves it still lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition, AssetKey, AssetLeaf, AssetRefKey


def holds(condition: AssetCondition, satisfied: Collection[AssetLeaf]) -> bool:
    """True when the condition holds if exactly these leaves have an event. An empty AllOf or AnyOf never holds."""
    if isinstance(condition, AllOf):
        return bool(condition.parts) and all(holds(part, satisfied) for part in condition.parts)
    if isinstance(condition, AnyOf):
        return any(holds(part, satisfied) for part in condition.parts)
    return condition in satisfied


def iter_leaves(condition: AssetCondition) -> Iterator[AssetLeaf]:
    """The leaves of the condition from left to right, each once."""
    yield from dict.fromkeys(_walk(condition))


def _walk(condition: AssetCondition) -> Iterator[AssetLeaf]:
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from _walk(part)
    else:
        yield condition


def find_missing_leaves(condition: AssetCondition, satisfied: Collection[AssetLeaf]) -> list[AssetLeaf]:
    """The leaves without an event that the condition still lacks; empty when it holds.

    Of an AnyOf that does not hold, the leaves of every part are missing; an event for the leaves of one part is enough.
    """
    if holds(condition, satisfied):
        return []
    if isinstance(condition, AllOf | AnyOf):
        return list(dict.fromkeys(leaf for part in condition.parts for leaf in find_missing_leaves(part, satisfied)))
    return [condition]


def is_met_by_any_leaf(condition: AssetCondition) -> bool:
    """Whether one event suffices, of whichever of several leaves it is."""
    if not isinstance(condition, AnyOf) or len(condition.parts) < 2:
        return False
    return not any(isinstance(part, AllOf | AnyOf) for part in condition.parts)


def match_leaves(asset: AssetKey, aliases: Iterable[str]) -> tuple[AssetLeaf, ...]:
    """Every leaf that an event of this asset satisfies, when it was added through these aliases."""
    return (asset, AssetRefKey(name=asset.name), AssetRefKey(uri=asset.uri), *(AliasKey(alias) for alias in aliases))


def describe_leaf(leaf: AssetLeaf) -> str:
    """The leaf in words: `asset orders`, `asset orders (s3://bucket/orders)`, `alias daily`."""
    if isinstance(leaf, AliasKey):
        return f"alias {leaf.name}"
    if isinstance(leaf, AssetRefKey):
        return f"asset {leaf.name or leaf.uri}"
    return f"asset {leaf.name}" if leaf.uri == leaf.name else f"asset {leaf.name} ({leaf.uri})"
