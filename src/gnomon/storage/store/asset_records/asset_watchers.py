"""What DAG files declare about watchers of assets, and the state of the triggers that watch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.model.assets import AssetKey, encode_leaf
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.rules.assets.conditions import match_leaves
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class StoredWatcher:
    """A watcher that an active DAG declares, and the state of its trigger, which other watchers may share."""

    asset: AssetKey
    name: str
    dag_id: str
    asset_trigger_pk: int
    identity: str
    classpath: str
    triggerer: str | None
    """The id of the triggerer that runs the trigger."""
    retry_at: Instant | None
    """When the trigger, which has ended, is started again."""
    failures: int
    """Failures since the last event."""
    failure: str | None
    failed_at: Instant | None
    event_count: int
    last_event_at: Instant | None
    place: str | None
    is_wanted: bool
    """An active DAG that is not paused is scheduled by the asset."""
    created_at: Instant
    """When a watcher named the trigger first."""


def replace_watchers(tx: Transaction, specs: Sequence[tuple[int, DagSpec]], at: Instant) -> None:
    """Replace the watchers that these DAGs, given as (dag_pk, spec), declare. The trigger of a watcher that stays goes on running."""
    stored = {
        (*row[:4], row[5]): row for row in tx.all("asset_watchers.of_dags", dag_pks=[dag_pk for dag_pk, _ in specs])
    }
    rows = {row[:5]: row for dag_pk, spec in specs for row in _encode_watchers(dag_pk, spec)}
    added = {key for key, row in rows.items() if key not in stored or stored[key][6] != row[8]}
    triggers = {watcher.identity: watcher for _, spec in specs for watcher in spec.asset_watchers}
    new = sorted({key[4] for key in added})
    tx.many(
        "asset_watchers.put_triggers",
        [(key, triggers[key].classpath, tx.cipher.encrypt(triggers[key].kwargs), at) for key in new],
    )
    tx.many("asset_watchers.put", [rows[key] for key in sorted(added)])
    removed_rows = sorted(row[:5] for key, row in stored.items() if key not in rows)
    if removed_rows:
        tx.many("asset_watchers.remove", removed_rows)
        tx.run("asset_watchers.remove_unused_triggers")


def list_watchers(tx: Transaction) -> list[StoredWatcher]:
    """The watchers that active DAGs declare, by asset, name and DAG."""
    return [_decode_watcher(row) for row in tx.all("asset_watchers.list")]


def has_wanted_watchers(tx: Transaction) -> bool:
    """Whether a triggerer must run for watchers: an active DAG that is not paused is scheduled by a watched asset."""
    row = tx.one("asset_watchers.has_wanted")
    return row is not None and bool(row[0])


def _encode_watchers(dag_pk: int, spec: DagSpec) -> Iterator[Row]:
    for watcher in spec.asset_watchers:
        asset = watcher.asset
        leaves = [encode_leaf(leaf) for leaf in match_leaves(asset, ())]
        yield dag_pk, asset.name, asset.uri, watcher.name, watcher.identity, *leaves, watcher.place


def _decode_watcher(row: Row) -> StoredWatcher:
    (
        asset_name,
        asset_uri,
        name,
        dag_id,
        asset_trigger_pk,
        identity,
        classpath,
        triggerer,
        retry_at,
        failures,
        failure,
        failed_at,
        event_count,
        last_event_at,
        place,
        is_wanted,
        created_at,
    ) = row
    return StoredWatcher(
        AssetKey(asset_name, asset_uri),
        name,
        dag_id,
        asset_trigger_pk,
        identity,
        classpath,
        triggerer,
        retry_at,
        failures,
        failure,
        failed_at,
        int(event_count),
        last_event_at,
        place,
        bool(is_wanted),
        created_at,
    )
