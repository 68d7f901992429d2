"""Assets, their aliases, watchers and events, and running the DAG that writes one."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from gnomon.changes.actions.manual_runs import NewRun, create_run
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.changes.operations.run_operations import TriggeredRun
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say
from gnomon.model.states import DagRunType
from gnomon.queries.report.listings import asset_list
from gnomon.queries.report.listings.asset_list import AliasRow, AssetEventRow, AssetRow
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import build_run_row
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.queries.report.listings.watcher_list import WatcherRow, list_watcher_rows
from gnomon.storage.store import Transaction

EVENTS_MAX = 10_000
"""The most events of one answer."""


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
        visible = _read_visible(scope, tx)
        rows = [] if aliases else asset_list.list_asset_rows(tx, visible, with_inactive=with_inactive)
        circles = [list(circle) for circle in asset_list.list_asset_circles(tx) if all(map(visible.shows_dag, circle))]
        return AssetListing(rows, asset_list.list_alias_rows(visible) if aliases else [], circles)


@operation("assets.show", "read", "asset")
def show_asset(scope: OperationScope, asset: str, most_events: int = 10) -> ShownAsset:
    """An asset, given by its name or its URI."""
    with scope.db.read() as tx:
        visible = _read_visible(scope, tx)
        stored = asset_list.find_visible_asset(tx, visible, asset)
        row = asset_list.build_asset_row(tx, visible, stored)
        watchers = [watcher for watcher in list_watcher_rows(tx, stored.key) if visible.shows_dag(watcher.dag_id)]
        events = asset_list.list_event_rows(tx, visible, stored, min(max(most_events, 0), EVENTS_MAX))
        (extra,) = _hide_secrets(scope, tx, [json.loads(stored.extra)])
        return ShownAsset(row, extra, scope.hide_names(tx, watchers, "state"), _hide_in_events(scope, tx, events))


@operation("assets.events", "read", "asset")
def list_asset_events(scope: OperationScope, asset: str | None = None, limit: int = 100) -> list[AssetEventRow]:
    """The newest events of an asset, or of all assets, and the runs that consumed them."""
    with scope.db.read() as tx:
        visible = _read_visible(scope, tx)
        stored = None if asset is None else asset_list.find_visible_asset(tx, visible, asset)
        return _hide_in_events(
            scope, tx, asset_list.list_event_rows(tx, visible, stored, min(max(limit, 1), EVENTS_MAX))
        )


@operation("assets.materialize", "create", "asset")
def materialize_asset(scope: OperationScope, asset: str, conf: dict[str, object] | None = None) -> TriggeredRun:
    """Create a run of the DAG whose task writes the asset, given by its name or its URI."""
    with scope.db.read() as tx:
        visible = _read_visible(scope, tx)
        stored = asset_list.find_visible_asset(tx, visible, asset)
        dag_ids = list(filter(visible.shows_dag, asset_list.list_producing_dags(tx, stored.key)))
        dag = find_dag(tx, _require_one_dag(stored.key.name, dag_ids))
        scope.dags.require_role(tx, dag.dag_id, Role.USER)
    run = create_run(
        scope.actor, scope.db, NewRun(dag_id=dag.dag_id, conf=conf or {}, run_type=DagRunType.ASSET_MATERIALIZATION)
    ).run
    return TriggeredRun(build_run_row(dag.dag_id, run), dag.paused, None)


def _require_one_dag(name: str, dag_ids: list[str]) -> str:
    """The only DAG. Raises UserError when no DAG or several DAGs write the asset."""
    if not dag_ids:
        raise UserError(say("no_task_writes_asset", asset=name))
    if len(dag_ids) > 1:
        raise UserError(
            say(
                "several_dags_write_asset",
                asset=name,
                names=", ".join(dag_ids),
                command=Command("dags trigger", (dag_ids[0],)),
            )
        )
    return dag_ids[0]


def _hide_in_events(scope: OperationScope, tx: Transaction, events: list[AssetEventRow]) -> list[AssetEventRow]:
    extras = _hide_secrets(scope, tx, [event.extra for event in events])
    return [replace(event, extra=extra) for event, extra in zip(events, extras, strict=True)]


def _hide_secrets(scope: OperationScope, tx: Transaction, extras: list[dict[str, object]]) -> list[dict[str, object]]:
    """The extras; for an account of the API with *** for the secrets of stored connections and Variables."""
    return list(hide_stored_secrets(tx, extras)) if scope.is_remote and any(extras) else extras


def _read_visible(scope: OperationScope, tx: Transaction) -> VisibleAssets:
    return VisibleAssets(tx, scope.dags.find_dag_ids(tx, Role.VIEWER))
