"""`VisibleAssets`: which assets, aliases and events of assets a user sees: those that belong to DAGs which the user sees."""

from __future__ import annotations

from collections.abc import Collection

from gnomon.model.assets import AliasKey, AssetKey, AssetLeaf
from gnomon.rules.assets.conditions import match_leaves
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.asset_records.asset_declarations import StoredDeclaration


class VisibleAssets:
    """The assets and aliases that a visible DAG names; all of them for a user who sees everything.

    `dag_ids`: the DAGs that the user sees, or those on which the user has a role; None for everything. An event of an asset is visible when a visible
    DAG made it or when no DAG made it. Statements take `dag_ids` for that, so that hidden events are neither listed nor counted.
    """

    def __init__(self, tx: Transaction, dag_ids: Collection[str] | None = None) -> None:
        self.dag_ids = None if dag_ids is None else frozenset(dag_ids)
        self.declarations = [
            declaration
            for declaration in asset_declarations.list_declarations(tx)
            if self.shows_dag(declaration.dag_id)
        ]
        self._by_leaf: dict[AssetLeaf, list[StoredDeclaration]] = {}
        for declaration in self.declarations:
            self._by_leaf.setdefault(declaration.leaf, []).append(declaration)

    def shows_dag(self, dag_id: str) -> bool:
        """Whether the user sees the DAG."""
        return self.dag_ids is None or dag_id in self.dag_ids

    def shows_asset(self, asset: AssetKey) -> bool:
        """Whether the user sees the asset."""
        return self.dag_ids is None or any(leaf in self._by_leaf for leaf in match_leaves(asset, ()))

    def shows_alias(self, name: str) -> bool:
        """Whether the user sees the alias."""
        return self.dag_ids is None or AliasKey(name) in self._by_leaf

    def list_about(self, asset: AssetKey) -> list[StoredDeclaration]:
        """What the DAGs that the user sees declare about the asset."""
        return [declaration for leaf in match_leaves(asset, ()) for declaration in self._by_leaf.get(leaf, ())]
