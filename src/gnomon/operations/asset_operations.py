"""Assets, their aliases, watchers and events, and running the DAG that writes one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from gnomon.actions.manual_runs import NewRun, create_run
from gnomon.assets.conditions import match_leaves
from gnomon.errors.product import UserError
from gnomon.model.accounts import Role
from gnomon.model.assets import AssetKey
from gnomon.model.states import DagRunType
from gnomon.operations.operation import operation
from gnomon.operations.operation_scope import OperationScope
from gnomon.operations.run_operations import TriggeredRun
from gnomon.report.listings import asset_list
from gnomon.report.listings.asset_list import AliasRow, AssetEventRow, AssetRow
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.not_found import NameNotFound
from gnomon.report.listings.run_list import build_run_row
from gnomon.report.listings.watcher_list import WatcherRow, list_watcher_rows
from gnomon.store import Transaction
from gnomon.store.asset_records import asset_declarations
from gnomon.store.asset_records.asset_declarations import StoredAsset


@dataclass(frozen=True, slots=True)
class AssetListing:
    """The assets, or the aliases, and the circles of DAGs that schedule one another by assets."""

    assets: list[AssetRow]
    aliases: list[AliasRow]
    circles: list[list[str]]


@dataclass(frozen=True, slots=True)
class ShownAsset:
    """An asset with its extra, its watchers and its newest events."""

    asset: AssetRow
    extra: dict[str, object]
    watchers: list[WatcherRow]
    events: list[AssetEventRow]


@operation("assets.list", "read", "asset")
def list_assets(scope: OperationScope, aliases: bool = False, with_inactive: bool = False) -> AssetListing:
    """The assets by name, or with `aliases` the aliases; with `with_inactive` also assets that no file names any more."""
    with scope.db.read() as tx:
        is_seen = _make_asset_filter(scope, tx)
        found = [] if aliases else asset_list.list_asset_rows(tx, with_inactive=with_inactive)
        rows = [_keep_seen(scope, tx, row) for row in found if is_seen(AssetKey(row.name, row.uri))]
        alias_rows = [_keep_seen_alias(scope, tx, row) for row in asset_list.list_alias_rows(tx)] if aliases else []
        circles = [list(circle) for circle in asset_list.list_asset_circles(tx) if all(_is_seen(scope, tx, dag_id) for dag_id in circle)]
    return AssetListing(rows, alias_rows, circles)


@operation("assets.show", "read", "asset")
def show_asset(scope: OperationScope, asset: str, most_events: int = 10) -> ShownAsset:
    """An asset, given by its name or its URI."""
    with scope.db.read() as tx:
        stored = _find_seen_asset(scope, tx, asset)
        row = asset_list.build_asset_row(tx, stored)
        watchers = scope.select(tx, list_watcher_rows(tx, stored.key), lambda watcher: watcher.dag_id)
        events = [_keep_seen_event(scope, tx, event) for event in asset_list.list_event_rows(tx, stored, most_events)]
        return ShownAsset(_keep_seen(scope, tx, row), json.loads(stored.extra), watchers, events)


@operation("assets.events", "read", "asset")
def list_asset_events(scope: OperationScope, asset: str | None = None, limit: int = 100) -> list[AssetEventRow]:
    """The newest events of an asset, or of all assets, and the runs that consumed them."""
    with scope.db.read() as tx:
        stored = None if asset is None else _find_seen_asset(scope, tx, asset)
        rows = [_keep_seen_event(scope, tx, event) for event in asset_list.list_event_rows(tx, stored, min(max(limit, 1), 10_000))]
        is_seen = _make_asset_filter(scope, tx)
        return [row for row in rows if is_seen(AssetKey(row.asset, row.uri))]


@operation("assets.materialize", "create", "asset")
def materialize_asset(scope: OperationScope, asset: str, conf: dict[str, object] | None = None) -> TriggeredRun:
    """Create a run of the DAG whose task writes the asset, given by its name or its URI."""
    with scope.db.read() as tx:
        stored = _find_seen_asset(scope, tx, asset)
        dag_ids = [dag_id for dag_id in asset_list.list_producing_dags(tx, stored.key) if _is_seen(scope, tx, dag_id)]
        dag = find_dag(tx, _require_one_dag(stored.key.name, dag_ids))
        scope.dags.require_role(tx, dag.dag_id, Role.USER)
    run = create_run(scope.actor, scope.db, NewRun(dag_id=dag.dag_id, conf=conf or {}, run_type=DagRunType.ASSET_MATERIALIZATION)).run
    return TriggeredRun(build_run_row(dag.dag_id, run), dag.paused, None)


def _require_one_dag(name: str, dag_ids: list[str]) -> str:
    """The only DAG. Raises UserError when no DAG or several DAGs write the asset."""
    if not dag_ids:
        raise UserError(f"no task has asset {name!r} as outlet, so no run can write it; give a task outlets=[Asset({name!r})]")
    if len(dag_ids) > 1:
        raise UserError(f"several DAGs write asset {name!r}: {', '.join(dag_ids)}; trigger one of them: gnomon dags trigger {dag_ids[0]}")
    return dag_ids[0]


def _make_asset_filter(scope: OperationScope, tx: Transaction) -> Callable[[AssetKey], bool]:
    """Whether the user sees an asset: one that a DAG names which the user sees, as in `gnomon.api.access.visible_assets`."""
    if scope.dags.sees_all(tx):
        return lambda _key: True
    named = {each.leaf for each in asset_declarations.list_declarations(tx) if _is_seen(scope, tx, each.dag_id)}
    return lambda key: not named.isdisjoint(match_leaves(key, ()))


def _find_seen_asset(scope: OperationScope, tx: Transaction, text: str) -> StoredAsset:
    """The asset with this name or URI. Raises NameNotFound, also for one that is hidden from the user; it suggests names to users who see all."""
    is_all = scope.dags.sees_all(tx)
    try:
        stored = asset_list.find_stored_asset(tx, text)
    except NameNotFound:
        if is_all:
            raise
        stored = None
    if stored is None or not _make_asset_filter(scope, tx)(stored.key):
        raise NameNotFound("asset", text, "", (), "`gnomon assets list` lists all assets")
    return stored


def _is_seen(scope: OperationScope, tx: Transaction, dag_id: str) -> bool:
    return scope.dags.has_role(tx, dag_id, Role.VIEWER)


def _keep_seen(scope: OperationScope, tx: Transaction, row: AssetRow) -> AssetRow:
    return replace(row, producers=_keep_seen_tasks(scope, tx, row.producers), consumers=tuple(one for one in row.consumers if _is_seen(scope, tx, one)))


def _keep_seen_alias(scope: OperationScope, tx: Transaction, row: AliasRow) -> AliasRow:
    return replace(row, producers=_keep_seen_tasks(scope, tx, row.producers), consumers=tuple(one for one in row.consumers if _is_seen(scope, tx, one)))


def _keep_seen_tasks(scope: OperationScope, tx: Transaction, names: tuple[str, ...]) -> tuple[str, ...]:
    """Of names `dag_id.task_id`, those of DAGs that the user sees. Both ids may contain dots, so a name that a hidden DAG could have is left out too."""
    if scope.dags.sees_all(tx):
        return names
    hide = scope.dags.build_name_filter(tx)
    return tuple(name for name in names if hide(name) == name and any(_is_seen(scope, tx, name[:end]) for end in _list_dots(name)))


def _keep_seen_event(scope: OperationScope, tx: Transaction, event: AssetEventRow) -> AssetEventRow:
    if scope.dags.sees_all(tx):
        return event
    is_source_seen = event.source is not None and bool(_keep_seen_tasks(scope, tx, (event.source,)))
    consumers = tuple(one for one in event.consumed_by if _is_seen(scope, tx, one.partition(" ")[0]))
    shown = event if is_source_seen else replace(event, source=None, source_run_id=None, extra={})
    return replace(shown, consumed_by=consumers)


def _list_dots(name: str) -> list[int]:
    return [position for position, character in enumerate(name) if character == "."]
