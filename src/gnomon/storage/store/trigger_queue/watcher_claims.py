"""The triggers of watchers that triggerers run: claimed, released, their events published (TRIGGER in docs/contributing/ownership.md).

A trigger yields many events and goes on. Each becomes one event of each asset that it watches. An event has a uid, and a uid is
published once. So an event may be stored by a triggerer that was fenced meanwhile: only claims need the fence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gnomon.model.asset_watchers import WatcherEvent, build_asset_event
from gnomon.model.assets import AssetKey
from gnomon.model.instants import Instant
from gnomon.storage.store.asset_records import asset_events
from gnomon.storage.store.errors import WrongKey
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class ClaimedWatcher:
    """One trigger of watchers to run."""

    asset_trigger_pk: int
    identity: str
    classpath: str
    kwargs: str
    """Typed JSON; empty when there is a `fault`."""
    failures: int
    """Failures since the last event."""
    assets: tuple[AssetKey, ...]
    """The assets that it watches."""
    names: tuple[str, ...]
    """The names of the watchers, for messages."""
    fault: str | None = None
    """Why its arguments cannot be decrypted; such a trigger must not be run."""

    @property
    def trigger_pk(self) -> int:
        """The key in a HostPool: negative, because triggers of tasks have positive ones."""
        return -self.asset_trigger_pk


@dataclass(frozen=True, slots=True)
class PendingWatcherWork:
    """Which kinds of work wait for one triggerer."""

    has_unwanted: bool
    """It runs a trigger that no active DAG needs any more."""
    has_unclaimed: bool
    """A trigger is unclaimed and due."""


@dataclass(frozen=True, slots=True)
class WatcherEnd:
    """A trigger that has ended, and when it is started again."""

    asset_trigger_pk: int
    retry_at: Instant
    failures: int = 0
    failure: str | None = None
    """None: it has ended by itself after an event."""
    failed_at: Instant | None = None


def find_pending_watchers(tx: Transaction, triggerer_id: str, now: Instant) -> PendingWatcherWork:
    """Whether `release_unwanted_watchers` and `claim_watchers` would find work, by one statement."""
    row = tx.one("watcher_claims.pending_work", me=triggerer_id, now=now)
    assert row is not None
    return PendingWatcherWork(*map(bool, row))


def claim_watchers(tx: Transaction, triggerer_id: str, limit: int, now: Instant) -> list[ClaimedWatcher]:
    """Claim at most `limit` triggers for a triggerer. One whose arguments the key of this host does not decrypt has a `fault`."""
    claimed = tx.all("watcher_claims.claim", me=triggerer_id, limit=limit, now=now) if limit > 0 else []
    pks = [pk for (pk,) in claimed]
    if not pks:
        return []
    watched = tx.all("watcher_claims.watched_assets", pks=pks)
    return [
        _decode_watcher(tx, row, [watched_row for watched_row in watched if watched_row[0] == row[0]])
        for row in tx.all("watcher_claims.find_claimed", pks=pks)
    ]


def release_unwanted_watchers(tx: Transaction, triggerer_id: str) -> None:
    """Release the triggers of a triggerer that no active DAG needs any more."""
    tx.run("watcher_claims.release_unwanted", me=triggerer_id)


def list_running_watchers(tx: Transaction, triggerer_id: str) -> set[int]:
    """The keys of the triggers that a triggerer has claimed; those that it runs beside them must end."""
    return {pk for (pk,) in tx.all("watcher_claims.running", me=triggerer_id)}


def publish_watcher_events(tx: Transaction, events: Sequence[WatcherEvent], now: Instant) -> int:
    """Publish each event for each asset that its trigger watches; returns the number of asset events that are new.

    An event that is published already is dropped. One whose trigger is gone, or watches for no active DAG, is published for the assets that it names.
    """
    pks = sorted({event.asset_trigger_pk for event in events})
    tx.all(
        "watcher_claims.lock", pks=pks
    )  # a second triggerer that stores one of these events waits here, and finds it stored
    watched: dict[int, tuple[str, dict[AssetKey, None]]] = {}
    for pk, identity, name, uri, _ in tx.all("watcher_claims.watched_assets", pks=pks):
        watched.setdefault(pk, (identity, {}))[1][AssetKey(name, uri)] = None
    counted: dict[str, tuple[int, str]] = {}
    built = []
    for event in events:
        identity, assets = watched.get(event.asset_trigger_pk, ("", {}))
        is_current = event.asset_trigger_pk in watched and event.identity in ("", identity)
        for asset in assets if is_current else [AssetKey(name, uri) for name, uri in event.assets]:
            built.append(build_asset_event(identity if is_current else event.identity, event, asset, now))
            if is_current:
                counted[built[-1].uid] = (event.asset_trigger_pk, event.uid)
    new = asset_events.publish_events(tx, built)
    counts = Counter(pk for pk, _ in {counted[event.uid] for event in new if event.uid in counted})
    tx.many("watcher_claims.count_events", [(pk, count, now) for pk, count in sorted(counts.items())])
    return len(new)


def record_watcher_ends(tx: Transaction, triggerer_id: str, ends: Iterable[WatcherEnd]) -> None:
    """Release these triggers of a triggerer until they are due again."""
    tx.many(
        "watcher_claims.record_end",
        [(end.asset_trigger_pk, triggerer_id, end.retry_at, end.failures, end.failure, end.failed_at) for end in ends],
    )


def _decode_watcher(tx: Transaction, row: Row, watched: Sequence[Row]) -> ClaimedWatcher:
    pk, identity, classpath, kwargs, failures = row
    fault = None
    try:
        kwargs = tx.cipher.decrypt(kwargs)
    except WrongKey as error:
        kwargs, fault = "", str(error)
    assets = tuple(dict.fromkeys(AssetKey(name, uri) for _, _, name, uri, _ in watched))
    names = tuple(dict.fromkeys(name for *_, name in watched))
    return ClaimedWatcher(pk, identity, classpath, kwargs, failures, assets, names, fault)
