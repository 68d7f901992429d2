"""DAGs, assets and aliases as the nodes of one graph, without the dependencies, which `wait_graph` lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.assets import AliasKey, AssetKey, AssetLeaf, AssetRefKey
from gnomon.rules.assets.conditions import match_leaves
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.asset_records.asset_declarations import StoredAsset


@dataclass(frozen=True, slots=True)
class AssetNode:
    """An asset, an alias, or a reference to an asset that no file declares."""

    kind: str
    """asset | alias | unknown."""
    name: str
    uri: str
    asset_pk: int | None
    """The key of an asset; None for the others."""


@dataclass(frozen=True, slots=True)
class AssetEdge:
    """A DAG names an asset or an alias, by the index of its node."""

    dag_id: str
    task_id: str | None
    """None: the schedule of the DAG."""
    role: str
    """schedule | inlet | outlet."""
    node: int


@dataclass(frozen=True, slots=True)
class AssetGraph:
    """The nodes that DAGs name, their edges, and which assets got events through an alias."""

    nodes: list[AssetNode]
    edges: list[AssetEdge]
    alias_edges: list[tuple[int, int]]
    """(node of the alias, node of the asset)."""


def read_asset_graph(tx: Transaction, *, shown: Iterable[str] | None = None) -> AssetGraph:
    """What the active DAGs name; with `shown` only these DAGs, and only what one of them names."""
    shown_ids = None if shown is None else set(shown)
    declared = [
        declaration
        for declaration in asset_declarations.list_declarations(tx)
        if shown_ids is None or declaration.dag_id in shown_ids
    ]
    builder = _GraphBuilder(asset_declarations.list_assets(tx))
    edges = [
        AssetEdge(declaration.dag_id, declaration.task_id or None, declaration.role, node)
        for declaration in declared
        for node in builder.find_nodes(declaration.leaf)
    ]
    return AssetGraph(builder.nodes, edges, _list_alias_edges(tx, builder))


class _GraphBuilder:
    """Gives each asset, alias and unknown reference a node when it is named first."""

    def __init__(self, assets: Iterable[StoredAsset]) -> None:
        self.nodes: list[AssetNode] = []
        self._numbers: dict[AssetLeaf, int] = {}
        self._keys: dict[AssetKey, int] = {}
        self._of_leaf: dict[AssetLeaf, list[AssetKey]] = {}
        for asset in assets:
            self._keys[asset.key] = asset.asset_pk
            for leaf in match_leaves(asset.key, ()):
                self._of_leaf.setdefault(leaf, []).append(asset.key)

    def find_nodes(self, leaf: AssetLeaf) -> list[int]:
        """The nodes of a leaf: a reference by name may mean several assets."""
        keys = self._of_leaf.get(leaf) if isinstance(leaf, AssetRefKey) else None
        return [self._number(key) for key in keys] if keys else [self._number(leaf)]

    def get_number(self, leaf: AssetLeaf) -> int | None:
        """The node of a leaf that was named; None for another."""
        return self._numbers.get(leaf)

    def list_keys(self) -> dict[int, int]:
        """The node of each asset, by the key of the asset."""
        return {node.asset_pk: number for number, node in enumerate(self.nodes) if node.asset_pk is not None}

    def _number(self, leaf: AssetLeaf) -> int:
        if leaf not in self._numbers:
            self._numbers[leaf] = len(self.nodes)
            self.nodes.append(self._build_node(leaf))
        return self._numbers[leaf]

    def _build_node(self, leaf: AssetLeaf) -> AssetNode:
        if isinstance(leaf, AliasKey):
            return AssetNode("alias", leaf.name, "", None)
        kind = "asset" if isinstance(leaf, AssetKey) else "unknown"
        return AssetNode(
            kind,
            leaf.name or leaf.uri or "",
            leaf.uri or "",
            self._keys.get(leaf) if isinstance(leaf, AssetKey) else None,
        )


def _list_alias_edges(tx: Transaction, builder: _GraphBuilder) -> list[tuple[int, int]]:
    keys = builder.list_keys()
    aliases_by_asset = asset_declarations.list_aliases_of_assets(tx, keys)
    pairs = [
        (alias_node, keys[asset_pk])
        for asset_pk, aliases in aliases_by_asset.items()
        for alias in aliases
        if (alias_node := builder.get_number(AliasKey(alias.name))) is not None
    ]
    return sorted(pairs)
