"""Assets, aliases and events as commands show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.assets import AliasKey, AssetCondition, AssetEvent, AssetKey, AssetLeaf, AssetRefKey
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.queries.report.listings.not_found import NameNotFound, asset_not_found
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.queries.report.listings.watcher_list import describe_schedule_watchers
from gnomon.rules.assets.circles import find_circles
from gnomon.rules.assets.conditions import find_missing_leaves, is_met_by_any_leaf, iter_leaves, match_leaves
from gnomon.rules.assets.leaf_mappers import PartitionAnswers, build_leaf_mappers, list_rule_classes
from gnomon.rules.assets.partition_progress import describe_partition
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations, asset_events, asset_queue
from gnomon.storage.store.asset_records.asset_declarations import (
    OUTLET,
    SCHEDULE,
    StoredAlias,
    StoredAsset,
    StoredDeclaration,
)
from gnomon.storage.store.asset_records.partition_runs import read_partitions

PARTITIONS_SHOWN = 5
"""Pending partitions that an explanation describes."""
PARTITION_KEYS_SHOWN_MAX = 1_000_000
"""No limit on the partitions of an event: the owner has dropped events with too many."""


@dataclass(frozen=True, slots=True)
class AssetRow:
    """An asset as listings print it."""

    name: str
    uri: str
    group: str
    active: bool
    """A file names it."""
    producers: tuple[str, ...]
    """`dag_id.task_id` of the tasks that have it as outlet."""
    consumers: tuple[str, ...]
    """DAGs that are scheduled by it."""
    events: int
    last_event: str | None
    added_by: tuple[str, ...] = ()
    """Of an asset that tasks added through aliases: each alias, and `dag_id.task_id` of the tasks that have it as outlet, as `alias by dag_id.task_id`."""


@dataclass(frozen=True, slots=True)
class AliasRow:
    """An alias as listings print it."""

    name: str
    producers: tuple[str, ...]
    consumers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssetEventRow:
    """An event as listings print it."""

    event: int
    at: str
    asset: str
    uri: str
    source: str | None
    """`dag_id.task_id`, with the map index of a mapped task."""
    source_run_id: str | None
    aliases: tuple[str, ...]
    extra: dict[str, object]
    consumed_by: tuple[str, ...]
    """`dag_id run_id` of the runs that consumed it."""


def list_asset_rows(tx: Transaction, visible: VisibleAssets, *, with_inactive: bool) -> list[AssetRow]:
    """The visible assets that files name or tasks add through an alias, by name; `with_inactive` also those that no file names any more."""
    counts = asset_events.read_event_counts(tx, visible.dag_ids)
    assets = [asset for asset in asset_declarations.list_assets(tx) if visible.shows_asset(asset.key)]
    aliases = asset_declarations.list_aliases_of_assets(tx, [asset.asset_pk for asset in assets])
    rows = [_build_asset_row(asset, visible, counts, aliases.get(asset.asset_pk, ())) for asset in assets]
    return [row for row in rows if row.active or row.added_by or with_inactive]


def list_alias_rows(visible: VisibleAssets) -> list[AliasRow]:
    """The visible aliases that files name, by name."""
    declared = visible.declarations
    aliases = sorted({each.leaf for each in declared if isinstance(each.leaf, AliasKey)})
    return [AliasRow(alias.name, _producers(declared, {alias}), _consumers(declared, {alias})) for alias in aliases]


def build_asset_row(tx: Transaction, visible: VisibleAssets, asset: StoredAsset) -> AssetRow:
    """The row of a stored asset."""
    aliases = asset_declarations.list_aliases_of_assets(tx, [asset.asset_pk]).get(asset.asset_pk, ())
    return _build_asset_row(asset, visible, asset_events.read_event_counts(tx, visible.dag_ids), aliases)


def find_stored_asset(tx: Transaction, text: str) -> StoredAsset:
    """The asset with this name or, if no name fits, this URI; of several that fit, one that a file names comes first.

    Raises NameNotFound, which suggests near names.
    """
    assets = asset_declarations.find_assets(tx, name=text) or asset_declarations.find_assets(tx, uri=text)
    if not assets:
        stored_assets = asset_declarations.list_assets(tx)
        raise asset_not_found(text, {name for asset in stored_assets for name in (asset.key.name, asset.key.uri)})
    named = {each.leaf for each in asset_declarations.list_declarations(tx, [asset.key for asset in assets])}
    return min(assets, key=lambda asset: (asset.key not in named, asset.asset_pk))


def find_visible_asset(tx: Transaction, visible: VisibleAssets, text: str) -> StoredAsset:
    """The asset with this name or URI. Raises NameNotFound, also for one that is hidden from the user; it suggests names to users who see all."""
    try:
        stored = find_stored_asset(tx, text)
    except NameNotFound:
        if visible.dag_ids is None:
            raise
        stored = None
    if stored is None or not visible.shows_asset(stored.key):
        raise asset_not_found(text)
    return stored


def list_producing_dags(tx: Transaction, asset: AssetKey) -> list[str]:
    """The active DAGs with a task that has the asset as outlet, by id."""
    leaves = set(match_leaves(asset, ()))
    return sorted({each.dag_id for each in asset_declarations.list_declarations(tx, leaves) if each.role == OUTLET})


def list_event_rows(
    tx: Transaction, visible: VisibleAssets, asset: StoredAsset | None, limit: int
) -> list[AssetEventRow]:
    """The newest `limit` visible events of the asset, or of all visible assets, newest first."""
    events = asset_events.list_newest_events(tx, limit, None if asset is None else asset.asset_pk, visible.dag_ids)
    consumers = asset_events.list_consuming_runs(tx, [event.event_pk for event in events])
    return [
        _build_event_row(event, visible, consumers.get(event.event_pk, []))
        for event in events
        if visible.shows_asset(event.asset)
    ]


def describe_asset_schedule(
    tx: Transaction, dag: DagRecord, answers: PartitionAnswers | PlanningError | None = None
) -> list[Sentence]:
    """Sentences on which assets of the DAG's condition still lack an event, and how many events wait in its queue.

    `answers`: of a DAG with a partition mapper of an author, what it says about the queue, or why it said nothing; None: it was not asked.
    """
    condition = dag.spec.asset_condition
    if condition is None:
        return []
    if dag.spec.partition_rules:
        return _describe_partitions(tx, dag, condition, answers)
    leaves = set(iter_leaves(condition))
    counts = {leaf: waiting for leaf, waiting in asset_queue.count_queue(tx, dag.dag_pk).items() if leaf in leaves}
    missing = find_missing_leaves(condition, counts.keys())
    waiting = [
        say("events_of_asset", total=count, leaf=say_leaf(leaf), at=oldest)
        for leaf, (count, oldest) in sorted(counts.items(), key=lambda item: str(item[0]))
    ]
    sentences = [say("events_wait", events=tuple(waiting))] if waiting else []
    if missing:
        code = "any_event_is_missing" if is_met_by_any_leaf(condition) else "events_are_missing"
        sentences.append(say(code, leaves=tuple(map(say_leaf, missing))))
    elif waiting:
        sentences.append(say("asset_schedule_is_met"))
    sentences += describe_schedule_watchers(tx, condition)
    return sentences + [describe_circle(circle) for circle in list_asset_circles(tx) if dag.dag_id in circle]


def _describe_partitions(
    tx: Transaction, dag: DagRecord, condition: AssetCondition, answers: PartitionAnswers | PlanningError | None
) -> list[Sentence]:
    """Sentences on the pending partitions: which upstream keys each still lacks."""
    watchers = describe_schedule_watchers(tx, condition)
    authored = list_rule_classes(dag.spec.partition_rules)
    if authored and not isinstance(answers, PartitionAnswers):
        count = len(asset_queue.list_queue(tx, dag.dag_pk))
        error = answers or dag.error
        why = say("mapper_failed", error=str(error)) if error else say("mapper_was_not_called")
        mapper = authored[0].rpartition(".")[2]
        return [say("events_wait_for_mapper", total=count, mapper=mapper, why=why), *watchers]
    mappers = build_leaf_mappers(
        dag.spec.partition_rules, PARTITION_KEYS_SHOWN_MAX, answers if isinstance(answers, PartitionAnswers) else None
    )
    reading = read_partitions(tx, dag.dag_pk, condition, mappers, PARTITION_KEYS_SHOWN_MAX)
    partitions = reading.partitions
    if isinstance(answers, PartitionAnswers):
        watchers = [*map(quote, answers.errors), *watchers]
    if not partitions and reading.waiting:
        return [say("events_wait_for_answer", total=len(reading.waiting)), *watchers]
    if not partitions:
        return [say("no_partition_waits"), *watchers]
    ready = sum(partition.is_complete for partition in partitions)
    pending = [partition for partition in partitions if not partition.is_complete]
    sentences = [say("partitions_are_complete", total=ready)] if ready else []
    sentences += [describe_partition(partition) for partition in pending[:PARTITIONS_SHOWN]]
    if len(pending) > PARTITIONS_SHOWN:
        sentences.append(say("more_partitions_are_not_complete", total=len(pending) - PARTITIONS_SHOWN))
    return sentences + watchers


def list_asset_circles(tx: Transaction) -> list[tuple[str, ...]]:
    """The circles of active DAGs that schedule one another by assets."""
    outlets: dict[str, list[AssetLeaf]] = {}
    schedules: dict[str, list[AssetLeaf]] = {}
    for each in asset_declarations.list_declarations(tx):
        if each.role == OUTLET:
            outlets.setdefault(each.dag_id, []).append(each.leaf)
        elif each.role == SCHEDULE:
            schedules.setdefault(each.dag_id, []).append(each.leaf)
    return find_circles(outlets, schedules)


def describe_circle(circle: tuple[str, ...]) -> Sentence:
    """A sentence about the circle."""
    return say("dags_schedule_one_another", names=" -> ".join([*circle, circle[0]]))


def say_leaf(leaf: AssetLeaf) -> Sentence:
    """The leaf as a phrase: `asset orders`, `asset orders (s3://bucket/orders)`, `alias daily`."""
    if isinstance(leaf, AliasKey):
        return say("named_alias", alias=leaf.name)
    if isinstance(leaf, AssetRefKey) or leaf.uri == leaf.name:
        return say("named_asset", asset=leaf.name or leaf.uri)
    return say("asset_with_uri", asset=leaf.name, uri=leaf.uri)


def _build_asset_row(
    asset: StoredAsset, visible: VisibleAssets, counts: dict[int, tuple[int, Instant]], aliases: Iterable[StoredAlias]
) -> AssetRow:
    leaves = set(match_leaves(asset.key, ()))
    about = visible.list_about(asset.key)
    count, newest_at = counts.get(asset.asset_pk, (0, None))
    return AssetRow(
        asset.key.name,
        asset.key.uri,
        asset.group,
        any(each.leaf == asset.key for each in about),
        _producers(about, leaves),
        _consumers(about, leaves),
        count,
        iso(newest_at),
        tuple(
            f"{alias.name} by {', '.join(tasks)}"
            for alias in aliases
            if visible.shows_alias(alias.name) and (tasks := _producers(visible.declarations, {AliasKey(alias.name)}))
        ),
    )


def _producers(declared: Iterable[StoredDeclaration], leaves: set[AssetLeaf] | set[AliasKey]) -> tuple[str, ...]:
    return tuple(
        sorted({f"{each.dag_id}.{each.task_id}" for each in declared if each.role == OUTLET and each.leaf in leaves})
    )


def _consumers(declared: Iterable[StoredDeclaration], leaves: set[AssetLeaf] | set[AliasKey]) -> tuple[str, ...]:
    return tuple(sorted({each.dag_id for each in declared if each.role == SCHEDULE and each.leaf in leaves}))


def _build_event_row(event: AssetEvent, visible: VisibleAssets, consumers: Iterable[tuple[str, str]]) -> AssetEventRow:
    index = "" if event.source_map_index < 0 else f"[{event.source_map_index}]"
    source = None if event.source_dag_id is None else f"{event.source_dag_id}.{event.source_task_id}{index}"
    return AssetEventRow(
        event.event_pk,
        iso(event.at) or "",
        event.asset.name,
        event.asset.uri,
        source,
        event.source_run_id,
        tuple(filter(visible.shows_alias, event.aliases)),
        event.extra,
        tuple(f"{dag_id} {run_id}" for dag_id, run_id in consumers if visible.shows_dag(dag_id)),
    )
