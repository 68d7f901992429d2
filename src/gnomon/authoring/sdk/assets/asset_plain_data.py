"""From the assets of authors to the plain data of the spec, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.assets.asset import (
    Asset,
    AssetAlias,
    AssetAll,
    AssetAny,
    AssetBooleanCondition,
    AssetRef,
    BaseAsset,
)
from gnomon.model.assets import (
    DEFAULT_GROUP,
    AliasKey,
    AllOf,
    AnyOf,
    AssetCondition,
    AssetDeclaration,
    AssetKey,
    AssetLeaf,
    AssetRefKey,
)
from gnomon.model.json_value import to_plain_json


def to_condition(asset: BaseAsset) -> AssetCondition:
    """Return the condition as plain data. Raises TypeError for a class that is none of Gnomon's."""
    if isinstance(asset, AssetAll):
        return AllOf(tuple(to_condition(part) for part in asset.objects))
    if isinstance(asset, AssetAny):
        return AnyOf(tuple(to_condition(part) for part in asset.objects))
    leaf = to_leaf(asset)
    if leaf is None:
        raise TypeError(
            f"a schedule consists of assets, aliases, references, AssetAll and AssetAny, not of {type(asset).__name__}; use one of these"
        )
    return leaf


def to_leaf(value: object) -> AssetLeaf | None:
    """Return an asset, alias or reference as plain data; None for any other value, which inlets and outlets may have."""
    if isinstance(value, Asset):
        return AssetKey(value.name, value.uri)
    if isinstance(value, AssetAlias):
        return AliasKey(value.name)
    if isinstance(value, AssetRef):
        return AssetRefKey(name=value.name, uri=value.uri)
    return None


def to_leaves(values: Iterable[object]) -> tuple[AssetLeaf, ...]:
    """Return the assets, aliases and references among inlets or outlets, each once; other values are left out."""
    leaves = (to_leaf(part) for value in values for part in iter_named(value))
    return tuple(dict.fromkeys(leaf for leaf in leaves if leaf is not None))


def iter_named(value: object) -> Iterator[object]:
    """Yield the parts of an inlet or outlet: those of a combination, else the value itself."""
    if isinstance(value, AssetBooleanCondition):
        yield from value.iter_outlets()
    else:
        yield value


def from_key(key: AssetKey) -> Asset:
    """Return the asset with this name and uri."""
    return Asset(name=key.name, uri=key.uri)


def declare_assets(values: Iterable[object], where: str) -> tuple[AssetDeclaration, ...]:
    """Return what the file says about the assets among these values, sorted; the first of equal assets counts.

    `where` names the DAG for messages. Raises ValueError when two assets have the same name and another uri, or when an extra is
    not made of JSON values.
    """
    assets: dict[str, Asset] = {}
    for value in values:
        for part in _iter_all(value) if isinstance(value, BaseAsset) else ():
            other = assets.setdefault(part.name, part)
            if other.uri != part.uri:
                raise ValueError(
                    f"{where}: two assets have the name {part.name!r}: one has the uri {other.uri!r}{format_location(other._location)}, the "
                    f"other {part.uri!r}{format_location(part._location)}. Give them the same uri, or rename one of them."
                )
    return tuple(_declare(assets[name], where) for name in sorted(assets))


def find_alias_groups(values: Iterable[object]) -> dict[str, str]:
    """Return the groups of the aliases among these values, by name, but for those in the default group."""
    named = (part for value in values if isinstance(value, BaseAsset) for part in value.iter_outlets())
    return {part.name: part.group for part in named if isinstance(part, AssetAlias) and part.group != DEFAULT_GROUP}


def _iter_all(value: BaseAsset) -> Iterator[Asset]:
    for _, asset in value.iter_assets():
        yield asset


def _declare(asset: Asset, where: str) -> AssetDeclaration:
    extra: Any = asset.extra
    try:
        plain = to_plain_json(extra)
    except ValueError as error:
        raise ValueError(
            f"{where}: the extra of asset {asset.name!r}{format_location(asset._location)} must be made of JSON values ({error})."
        ) from None
    if not isinstance(plain, dict):
        raise ValueError(
            f"{where}: the extra of asset {asset.name!r}{format_location(asset._location)} must be a dict, not {type(extra).__name__}."
        )
    place = None if asset._location is None else str(asset._location)
    return AssetDeclaration(name=asset.name, uri=asset.uri, group=asset.group, extra=plain, place=place)
