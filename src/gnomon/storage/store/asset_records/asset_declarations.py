"""What DAG files declare about assets: schedules, inlets and outlets, written with each version of a DAG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gnomon.model.assets import DEFAULT_GROUP, AliasKey, AssetDeclaration, AssetKey, AssetLeaf, decode_leaf, encode_leaf
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.storage.store.record_codec import encode_json
from gnomon.storage.store.transaction import Row, Transaction

SCHEDULE, INLET, OUTLET = "schedule", "inlet", "outlet"
"""The roles in which a DAG names an asset."""


@dataclass(frozen=True, slots=True)
class StoredAsset:
    """One asset that a file has named or a task has added."""

    asset_pk: int
    key: AssetKey
    group: str
    extra: str
    """JSON."""
    created_at: Instant
    updated_at: Instant
    """When what a file says about it changed last."""


@dataclass(frozen=True, slots=True)
class StoredAlias:
    """One alias that a file has named."""

    alias_pk: int
    name: str
    group: str


@dataclass(frozen=True, slots=True)
class StoredDeclaration:
    """An active DAG names an asset, a reference or an alias."""

    dag_pk: int
    dag_id: str
    paused: bool
    role: str
    task_id: str
    """Empty for the schedule."""
    leaf: AssetLeaf
    place: str
    """`file:line` where the asset was made, or the file of the DAG."""
    declared_at: Instant


def replace_declarations(tx: Transaction, specs: Sequence[tuple[int, DagSpec]], at: Instant) -> None:
    """Replace what these DAGs, given as (dag_pk, spec), declare with what the specs declare.

    A declaration that stays is kept, so that no event is lost while a version replaces another one.
    """
    stored = {
        tuple(row[:4]): row[4] for row in tx.all("asset_declarations.of_dags", dag_pks=[dag_pk for dag_pk, _ in specs])
    }
    rows = {row[:4]: row for dag_pk, spec in specs for row in _encode_declarations(dag_pk, spec, at)}
    tx.many("asset_declarations.remove", sorted(key for key in stored if key not in rows))
    tx.many(
        "asset_declarations.put",
        [row for key, row in sorted(rows.items()) if key not in stored or stored[key] != row[4]],
    )
    assets = {asset.key: asset for _, spec in specs for asset in spec.assets}
    tx.many("asset_declarations.put_assets", [_encode_asset(assets[key], at) for key in sorted(assets)])
    tx.many("asset_aliases.put", sorted(_find_groups(spec for _, spec in specs).items()))


def _encode_declarations(dag_pk: int, spec: DagSpec, at: Instant) -> Iterator[Row]:
    places = {encode_leaf(asset.key): asset.place for asset in spec.assets}
    for role, task_id, leaves in _list_named(spec):
        for leaf in map(encode_leaf, leaves):
            yield dag_pk, role, task_id, leaf, places.get(leaf), at


def _list_named(spec: DagSpec) -> list[tuple[str, str, tuple[AssetLeaf, ...]]]:
    """The leaves that the DAG names, each group with its role and its task."""
    named: list[tuple[str, str, tuple[AssetLeaf, ...]]] = [
        (SCHEDULE, "", () if spec.asset_condition is None else tuple(iter_leaves(spec.asset_condition)))
    ]
    for task in spec.tasks:
        named += [(INLET, task.task_id, task.inlets), (OUTLET, task.task_id, task.outlets)]
    return named


def _find_groups(specs: Iterable[DagSpec]) -> dict[str, str]:
    """The groups of the aliases that these DAGs name, by name; the default does not replace a group that another DAG gives."""
    groups: dict[str, str] = {}
    for spec in specs:
        for leaf in (leaf for _, _, named in _list_named(spec) for leaf in named if isinstance(leaf, AliasKey)):
            groups[leaf.name] = spec.alias_groups.get(leaf.name, groups.get(leaf.name, DEFAULT_GROUP))
    return groups


def _encode_asset(asset: AssetDeclaration, at: Instant) -> Row:
    return asset.name, asset.uri, asset.group, encode_json(asset.extra), at


def list_declarations(tx: Transaction, leaves: Iterable[AssetLeaf] | None = None) -> list[StoredDeclaration]:
    """What active DAGs declare, by DAG; with `leaves` only what they declare about these."""
    if leaves is None:
        rows = tx.all("asset_declarations.active")
    else:
        rows = tx.all("asset_declarations.active_on", leaves=[encode_leaf(leaf) for leaf in leaves])
    return [
        StoredDeclaration(dag_pk, dag_id, bool(paused), role, task_id, decode_leaf(leaf), place or path, declared_at)
        for dag_pk, dag_id, paused, role, task_id, leaf, place, declared_at, path in rows
    ]


def list_assets(tx: Transaction) -> list[StoredAsset]:
    """All assets by name, also those that no file names any more."""
    return [_decode_asset(row) for row in tx.all("asset_declarations.list_assets")]


def find_assets(tx: Transaction, name: str | None = None, uri: str | None = None) -> list[StoredAsset]:
    """The assets with this name and this URI; None matches any."""
    return [_decode_asset(row) for row in tx.all("asset_declarations.find_assets", name=name, uri=uri)]


def find_asset(tx: Transaction, asset_pk: int) -> StoredAsset | None:
    """The asset with this key; None when there is none."""
    row = tx.one("asset_declarations.find_asset", asset_pk=asset_pk)
    return None if row is None else _decode_asset(row)


def list_aliases(tx: Transaction) -> list[StoredAlias]:
    """All aliases by key, also those that no file names any more."""
    return [StoredAlias(*row) for row in tx.all("asset_aliases.list")]


def list_aliases_of_assets(tx: Transaction, asset_pks: Iterable[int]) -> dict[int, list[StoredAlias]]:
    """The aliases through which events of each of these assets were added, by the key of the asset; an asset without one is left out."""
    aliases_by_asset: dict[int, list[StoredAlias]] = {}
    for asset_pk, *alias in tx.all("asset_aliases.of_assets", asset_pks=list(asset_pks)):
        aliases_by_asset.setdefault(asset_pk, []).append(StoredAlias(*alias))
    return aliases_by_asset


def list_assets_named_alike(tx: Transaction) -> list[AssetKey]:
    """The assets that share their name with another asset, by name."""
    return [AssetKey(name, uri) for name, uri in tx.all("asset_declarations.named_alike")]


def _decode_asset(row: Row) -> StoredAsset:
    return StoredAsset(row[0], AssetKey(row[1], row[2]), *row[3:])
