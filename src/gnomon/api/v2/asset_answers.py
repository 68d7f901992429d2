"""The shapes of assets, aliases and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.v2.schemas.assets_shapes import (
    AssetAliasResponse,
    AssetEventResponse,
    AssetResponse,
    AssetWatcherResponse,
    DagRunAssetReference,
    DagScheduleAssetReference,
    LastAssetEventResponse,
    TaskInletAssetReference,
    TaskOutletAssetReference,
)
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import moment, to_datetime
from gnomon.model.json_text import read_shown_json
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations, asset_events, asset_watchers
from gnomon.storage.store.asset_records.asset_declarations import (
    INLET,
    OUTLET,
    SCHEDULE,
    StoredAlias,
    StoredAsset,
    StoredDeclaration,
)
from gnomon.storage.store.asset_records.asset_events import ConsumingRun
from gnomon.storage.store.pages.asset_event_pages import ListedAssetEvent


def build_assets(tx: Transaction, visible: VisibleAssets, assets: Sequence[StoredAsset]) -> list[AssetResponse]:
    """These assets as the API shows them, with the DAGs, aliases, watchers and events that the user sees."""
    keys = [asset.asset_pk for asset in assets]
    newest = asset_events.find_newest_events(tx, keys, visible.dag_ids)
    aliases = asset_declarations.list_aliases_of_assets(tx, keys)
    watchers = (
        [watcher for watcher in asset_watchers.list_watchers(tx) if visible.shows_dag(watcher.dag_id)] if assets else []
    )
    extras = (
        hide_stored_secrets(tx, [read_shown_json(asset.extra) for asset in assets])
        if any(asset.extra != "{}" for asset in assets)
        else [{} for _ in assets]
    )
    answers = []
    for asset, extra in zip(assets, extras, strict=True):
        about = visible.list_about(asset.key)
        event_pk, at = newest.get(asset.asset_pk, (None, None))
        own = {(watcher.name, watcher.asset_trigger_pk): watcher for watcher in watchers if watcher.asset == asset.key}
        answers.append(
            AssetResponse(
                id=asset.asset_pk,
                name=asset.key.name,
                uri=asset.key.uri,
                group=asset.group,
                extra=extra,
                created_at=to_datetime(asset.created_at),
                updated_at=to_datetime(asset.updated_at),
                scheduled_dags=_list_schedules(about),
                producing_tasks=[
                    _name_task(TaskOutletAssetReference, declaration) for declaration in _list_tasks(about, OUTLET)
                ],
                consuming_tasks=[
                    _name_task(TaskInletAssetReference, declaration) for declaration in _list_tasks(about, INLET)
                ],
                aliases=[
                    build_alias(alias) for alias in aliases.get(asset.asset_pk, ()) if visible.shows_alias(alias.name)
                ],
                watchers=[
                    AssetWatcherResponse(
                        name=watcher.name,
                        trigger_id=watcher.asset_trigger_pk,
                        created_date=to_datetime(watcher.created_at),
                    )
                    for watcher in own.values()
                ],
                last_asset_event=LastAssetEventResponse(id=event_pk, timestamp=moment(at)),
            )
        )
    return answers


def build_alias(alias: StoredAlias) -> AssetAliasResponse:
    """An alias as the API shows it."""
    return AssetAliasResponse(id=alias.alias_pk, name=alias.name, group=alias.group)


def build_events(tx: Transaction, visible: VisibleDags, events: Sequence[ListedAssetEvent]) -> list[AssetEventResponse]:
    """These events as the API shows them, with the runs of DAGs that the user sees; a source that is hidden from the user is left out."""
    consumed = asset_events.list_consumptions(tx, [event.event_pk for event in events])
    extras = (
        hide_stored_secrets(tx, [read_shown_json(event.extra) for event in events])
        if any(event.extra != "{}" for event in events)
        else [{} for _ in events]
    )
    answers = []
    for event, extra in zip(events, extras, strict=True):
        is_shown = event.source_dag_id is None or event.source_dag_id in visible
        answers.append(
            AssetEventResponse(
                id=event.event_pk,
                asset_id=event.asset_pk,
                uri=event.uri,
                name=event.name,
                group=event.group,
                extra=extra,
                source_task_id=event.source_task_id if is_shown else None,
                source_dag_id=event.source_dag_id if is_shown else None,
                source_run_id=event.source_run_id if is_shown else None,
                source_map_index=event.source_map_index if is_shown else UNMAPPED,
                created_dagruns=[
                    _build_run(event.event_pk, run) for run in consumed.get(event.event_pk, ()) if run.dag_id in visible
                ],
                timestamp=to_datetime(event.at),
                partition_key=event.partition_key,
            )
        )
    return answers


def _build_run(event_pk: int, run: ConsumingRun) -> DagRunAssetReference:
    """The run; one that has not started has the time at which it was queued as its start, which the document does not let be null."""
    return DagRunAssetReference(
        run_id=run.run_id,
        dag_id=run.dag_id,
        logical_date=moment(run.logical_at),
        start_date=to_datetime(run.queued_at if run.started_at is None else run.started_at),
        end_date=moment(run.ended_at),
        state=run.state.value,
        data_interval_start=moment(run.interval_start),
        data_interval_end=moment(run.interval_end),
        partition_key=run.partition_key,
        triggering=event_pk == run.newest_event_pk,
    )


def _list_schedules(about: Sequence[StoredDeclaration]) -> list[DagScheduleAssetReference]:
    """The DAGs that the asset schedules, each once."""
    first_of_dag: dict[str, StoredDeclaration] = {}
    for declaration in about:
        if declaration.role == SCHEDULE:
            first_of_dag.setdefault(declaration.dag_id, declaration)
    times = ((declaration.dag_id, to_datetime(declaration.declared_at)) for declaration in first_of_dag.values())
    return [DagScheduleAssetReference(dag_id=dag_id, created_at=at, updated_at=at) for dag_id, at in times]


def _list_tasks(about: Sequence[StoredDeclaration], role: str) -> list[StoredDeclaration]:
    """The declarations of tasks in this role, each task once."""
    first_of_task: dict[tuple[str, str], StoredDeclaration] = {}
    for declaration in about:
        if declaration.role == role:
            first_of_task.setdefault((declaration.dag_id, declaration.task_id), declaration)
    return list(first_of_task.values())


R = TypeVar("R", TaskOutletAssetReference, TaskInletAssetReference)


def _name_task(shape: type[R], declared: StoredDeclaration) -> R:
    at = to_datetime(declared.declared_at)
    return shape(dag_id=declared.dag_id, task_id=declared.task_id, created_at=at, updated_at=at)
