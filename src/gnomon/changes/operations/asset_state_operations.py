"""What is kept of assets in the state store, under the name of the asset: two assets with one name share it."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.actions import state_changes
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.changes.operations.state_texts import hide_secrets, read_value
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import iso
from gnomon.model.sentences import Command, say
from gnomon.queries.report.listings.asset_list import find_visible_asset
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.state_stores import asset_state_store
from gnomon.storage.store.state_stores.asset_state_store import StoredAssetState

_HIDDEN_WRITER = "a task"
"""In the place of a writer of a hidden DAG."""


@dataclass(frozen=True, slots=True)
class AssetStateRow:
    """A value of an asset as listings print it."""

    asset: str
    key: str
    value: str
    updated_at: str | None
    writer: str


@operation("asset_state.list", "read", "asset")
def list_asset_values(scope: OperationScope, name: str | None = None) -> list[AssetStateRow]:
    """What is kept of an asset; without a name, of all assets."""
    with scope.db.read() as tx:
        visible = _read_visible(scope, tx, Role.VIEWER)
        entries = [
            entry for entry in asset_state_store.list_asset_state(tx, name) if _is_visible(visible, tx, entry.asset)
        ]
        if name is not None and not entries:
            _require_asset(visible, tx, name)
        values = hide_secrets(scope, tx, [entry.value for entry in entries])
        return [
            AssetStateRow(entry.asset, entry.key, value, iso(entry.updated_at), _describe_writer(visible, entry))
            for entry, value in zip(entries, values, strict=True)
        ]


@operation("asset_state.get", "read", "asset")
def get_asset_value(scope: OperationScope, name: str, key: str) -> str:
    """The JSON text that is kept of an asset under a key."""
    with scope.db.read() as tx:
        visible = _read_visible(scope, tx, Role.VIEWER)
        value = asset_state_store.get_asset_state(tx, name, key) if _is_visible(visible, tx, name) else None
        if value is None:
            _require_asset(visible, tx, name)
            raise _no_value(name, key)
        return hide_secrets(scope, tx, [value])[0]


@operation("asset_state.set", "edit", "asset")
def set_asset_value(scope: OperationScope, name: str, key: str, value: str) -> None:
    """Keep a value, a JSON text, of an asset. It needs the role user on a DAG that names the asset."""
    new_value = read_value(value)
    with scope.db.read() as tx:
        _require_change(scope, tx, name)
    state_changes.set_asset_value(scope.actor, scope.db, name, key, new_value)


@operation("asset_state.clear", "delete", "asset")
def clear_asset_values(scope: OperationScope, name: str, key: str | None = None) -> int:
    """Delete what is kept of an asset, or only the value under a key; returns the number of values. It needs the role user on a DAG that names the asset."""
    with scope.db.read() as tx:
        _require_change(scope, tx, name)
    if key is None:
        return state_changes.clear_asset_values(scope.actor, scope.db, name)
    if not state_changes.delete_asset_value(scope.actor, scope.db, name, key):
        raise _no_value(name, key)
    return 1


def _read_visible(scope: OperationScope, tx: Transaction, role: Role) -> VisibleAssets:
    return VisibleAssets(tx, scope.dags.find_dag_ids(tx, role))


def _is_visible(visible: VisibleAssets, tx: Transaction, name: str) -> bool:
    return visible.dag_ids is None or any(
        visible.shows_asset(asset.key) for asset in asset_declarations.find_assets(tx, name=name)
    )


def _require_asset(visible: VisibleAssets, tx: Transaction, name: str) -> None:
    """Raise NameNotFound for the name of an asset that no file and no event names, or that is hidden from the user."""
    if _is_visible(visible, tx, name) and (
        asset_declarations.find_assets(tx, name=name) or asset_state_store.list_asset_state(tx, name)
    ):
        return
    if any(visible.shows_asset(asset.key) for asset in asset_declarations.find_assets(tx, uri=name)):
        raise UserError(say("name_is_uri_of_asset", uri=name, command=Command("assets show")))
    find_visible_asset(tx, visible, name)


def _require_change(scope: OperationScope, tx: Transaction, name: str) -> None:
    """Return if the user may change what is kept of the asset. Raises as `_require_asset`, and UserError for a lower role."""
    visible = _read_visible(scope, tx, Role.VIEWER)
    _require_asset(visible, tx, name)
    if not _is_visible(_read_visible(scope, tx, Role.USER), tx, name):
        named = {
            declaration.dag_id
            for asset in asset_declarations.find_assets(tx, name=name)
            for declaration in visible.list_about(asset.key)
        }
        scope.dags.require_role(tx, min(named), Role.USER)


def _describe_writer(visible: VisibleAssets, entry: StoredAssetState) -> str:
    source = entry.source
    if visible.dag_ids is None or (source is not None and (source.dag_id is None or visible.shows_dag(source.dag_id))):
        return entry.writer
    return _HIDDEN_WRITER


def _no_value(name: str, key: str) -> UserError:
    return UserError(say("asset_keeps_nothing", asset=name, key=key, command=Command("state-store asset list")))
