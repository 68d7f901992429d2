"""Events of assets: recorded once, put into the queue of every consumer in the same transaction, and listed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gnomon.model.assets import AssetEvent, AssetKey, NewAssetEvent, encode_leaf
from gnomon.model.change_entries import AssetEventPublished
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.model.sentences import say
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.rules.assets.conditions import match_leaves
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.errors import NotFound
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit

FIRST_INSTANT, LAST_INSTANT = -(2**62), 2**62
"""Bounds of a listing without an earliest or a latest instant."""
MAX_LISTED = 10_000
"""Events that one listing returns at most."""


def publish_events(tx: Transaction, events: Sequence[NewAssetEvent]) -> list[NewAssetEvent]:
    """Insert the events, put each into the queues of the DAGs that wait for it, and send mail to the owners of these DAGs; returns the new ones.

    The transaction is the one that records why the events happened. An event whose `uid` is stored already is dropped; any
    process may publish. The consumers are those that the store has now, paused DAGs too.
    """
    known_uids = (
        {uid for (uid,) in tx.all("asset_events.known", uids=[event.uid for event in events])} if events else set()
    )
    new = list({event.uid: event for event in events if event.uid not in known_uids}.values())
    if not new:
        return []
    first_at = {(event.asset.name, event.asset.uri): event.at for event in reversed(new)}
    tx.send_many("asset_events.add_assets", [(*asset, at) for asset, at in sorted(first_at.items())])
    tx.send_many("asset_events.add", [(number, *_encode_event(event)) for number, event in enumerate(new)])
    tx.send_many(
        "asset_events.add_aliases", [(alias, event.uid) for event in new for alias in dict.fromkeys(event.aliases)]
    )
    record_change(
        tx,
        *(
            AssetEventPublished(
                event.asset.name, event.asset.uri, event.source_dag_id, event.source_run_id, event.source_task_id
            )
            for event in new
        ),
    )
    _enqueue_for_consumers(tx, new)
    return new


def _enqueue_for_consumers(tx: Transaction, events: Sequence[NewAssetEvent]) -> None:
    leaves_of = {
        event.uid: [encode_leaf(leaf) for leaf in match_leaves(event.asset, dict.fromkeys(event.aliases))]
        for event in events
    }
    leaf_list = sorted({leaf for leaves in leaves_of.values() for leaf in leaves})
    consumers: dict[str, list[int]] = {}
    group_of_dag: dict[int, int] = {}
    for leaf, dag_pk, group_no in tx.all("asset_events.consumers", leaves=leaf_list):
        consumers.setdefault(leaf, []).append(dag_pk)
        group_of_dag[dag_pk] = group_no
    rows = sorted(
        (dag_pk, leaf, uid)
        for uid, leaves in leaves_of.items()
        for leaf in leaves
        for dag_pk in consumers.get(leaf, ())
    )
    if not rows:
        return
    tx.send_many("asset_events.enqueue", rows)
    dags_by_group: dict[int, list[int]] = {}
    for dag_pk in sorted({dag_pk for dag_pk, _, _ in rows}):
        dags_by_group.setdefault(group_of_dag[dag_pk], []).append(dag_pk)
    at = events[-1].at
    mailbox.send_messages(
        tx,
        [
            NewMail(group_no, "asset_events", json.dumps({"dag_pks": dag_pks}), at=at)
            for group_no, dag_pks in sorted(dags_by_group.items())
        ],
    )
    notify_on_commit(tx)


def list_asset_events(
    tx: Transaction,
    asset_pks: Iterable[int],
    *,
    after: Instant | None = None,
    before: Instant | None = None,
    ascending: bool = True,
    limit: int | None = None,
) -> list[AssetEvent]:
    """The events of these assets between two instants, both inclusive: the oldest `limit` first, or the newest first."""
    if ascending:
        return _decode_events(
            tx.all("asset_events.oldest_of_assets", asset_pks=list(asset_pks), **_bounds(after, before, limit))
        )
    return _decode_events(
        tx.all(
            "asset_events.newest_of_assets", asset_pks=list(asset_pks), dag_ids=None, **_bounds(after, before, limit)
        )
    )


def list_alias_events(
    tx: Transaction,
    alias: str,
    *,
    after: Instant | None = None,
    before: Instant | None = None,
    ascending: bool = True,
    limit: int | None = None,
) -> list[AssetEvent]:
    """The events that were added through an alias; the arguments are those of `list_asset_events`."""
    name = "asset_events.oldest_of_alias" if ascending else "asset_events.newest_of_alias"
    return _decode_events(tx.all(name, alias=alias, **_bounds(after, before, limit)))


def list_newest_events(
    tx: Transaction, limit: int, asset_pk: int | None = None, dag_ids: Collection[str] | None = None
) -> list[AssetEvent]:
    """The newest `limit` events of all assets or of one, newest first; with `dag_ids` only those that one of these DAGs made or no DAG."""
    if asset_pk is None:
        return _decode_events(tx.all("asset_events.newest", limit=limit, dag_ids=_encode_dags(dag_ids)))
    return _decode_events(
        tx.all(
            "asset_events.newest_of_assets",
            asset_pks=[asset_pk],
            dag_ids=_encode_dags(dag_ids),
            **_bounds(None, None, limit),
        )
    )


def list_consumed_events(tx: Transaction, run_pk: int) -> list[AssetEvent]:
    """The events that a run consumed when it was created, oldest first."""
    return _decode_events(tx.all("asset_events.consumed_by_run", run_pk=run_pk))


def list_consuming_runs(tx: Transaction, event_pks: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """(dag_id, run_id) of the runs that consumed each event; an event that no run consumed is left out."""
    consumers: dict[int, list[tuple[str, str]]] = {}
    for event_pk, dag_id, run_id in tx.all("asset_events.consumers_of_event", event_pks=list(event_pks)):
        consumers.setdefault(event_pk, []).append((dag_id, run_id))
    return consumers


@dataclass(frozen=True, slots=True)
class ConsumingRun:
    """A run that consumed an event."""

    dag_id: str
    run_id: str
    state: DagRunState
    logical_at: Instant | None
    interval_start: Instant | None
    interval_end: Instant | None
    queued_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    partition_key: str | None
    newest_event_pk: int
    """The newest event that the run consumed."""


def list_consumptions(tx: Transaction, event_pks: Iterable[int]) -> dict[int, list[ConsumingRun]]:
    """The runs that consumed each event, by DAG; an event that no run consumed is left out."""
    consumptions: dict[int, list[ConsumingRun]] = {}
    for event_pk, dag_id, run_id, state, *rest in tx.all("asset_events.consuming_runs", event_pks=list(event_pks)):
        consumptions.setdefault(event_pk, []).append(ConsumingRun(dag_id, run_id, RUN_STATES_BY_CODE[state], *rest))
    return consumptions


def find_event(tx: Transaction, uid: str) -> int:
    """The key of the event with this uid. Raises NotFound when there is none."""
    row = tx.one("asset_events.by_uid", uid=uid)
    if row is None:
        raise NotFound(say("asset_event_does_not_exist", name=uid))
    return int(row[0])


def find_newest_events(
    tx: Transaction, asset_pks: Iterable[int], dag_ids: Collection[str] | None = None
) -> dict[int, tuple[int, Instant]]:
    """(event_pk, time) of the newest event of each of these assets; an asset without events is left out.

    With `dag_ids` only events count that one of these DAGs made or no DAG.
    """
    rows = tx.all("asset_events.newest_of_each", asset_pks=list(asset_pks), dag_ids=_encode_dags(dag_ids))
    return {asset_pk: (event_pk, at) for asset_pk, event_pk, at in rows}


def read_event_counts(tx: Transaction, dag_ids: Collection[str] | None = None) -> dict[int, tuple[int, Instant]]:
    """The number of events and the time of the newest, by asset; an asset without events is left out.

    With `dag_ids` only events count that one of these DAGs made or no DAG.
    """
    rows = tx.all("asset_events.counts", dag_ids=_encode_dags(dag_ids))
    return {asset_pk: (int(count), newest_at) for asset_pk, count, newest_at in rows}


def _encode_dags(dag_ids: Collection[str] | None) -> list[str] | None:
    return None if dag_ids is None else sorted(dag_ids)


def _bounds(after: Instant | None, before: Instant | None, limit: int | None) -> dict[str, int]:
    return {
        "after": FIRST_INSTANT if after is None else after,
        "before": LAST_INSTANT if before is None else before,
        "limit": MAX_LISTED if limit is None else min(limit, MAX_LISTED),
    }


def _encode_event(event: NewAssetEvent) -> Row:
    return (
        event.uid,
        event.asset.name,
        event.asset.uri,
        event.at,
        json.dumps(event.extra),
        json.dumps(list(event.aliases)),
        event.source_dag_id,
        event.source_task_id,
        event.source_run_id,
        event.source_map_index,
        event.partition_key,
    )


def _decode_events(rows: Iterable[Row]) -> list[AssetEvent]:
    return [
        AssetEvent(
            event_pk=event_pk,
            asset=AssetKey(name, uri),
            at=at,
            extra=json.loads(extra),
            aliases=tuple(json.loads(aliases)),
            source_dag_id=dag_id,
            source_task_id=task_id,
            source_run_id=run_id,
            source_map_index=map_index,
            partition_key=partition_key,
        )
        for event_pk, name, uri, at, extra, aliases, dag_id, task_id, run_id, map_index, partition_key in rows
    ]
