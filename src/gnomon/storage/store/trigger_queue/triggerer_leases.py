"""Leases of triggerers, and the release of the triggers of one that has ended (TRIGGER in docs/contributing/ownership.md).

All instants are by the database's clock. A triggerer writes in `Database.triggerer_write`, which first proves that it is not fenced.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.coordination.leases import RETENTION_S, terminate_frozen_sessions
from gnomon.storage.store.transaction import LEASE_TTL_S, Row, Transaction

SILENT_AFTER_BEATS = 2.1
"""A triggerer that has missed this many heartbeats is fenced by the others.

So is a triggerer whose last heartbeat is this far in the future: the clock was set back, and a live one has written another since.
"""


@dataclass(frozen=True, slots=True)
class TriggererLease:
    """One triggerer process."""

    triggerer_id: str
    host: str
    capacity: int
    queues: tuple[str, ...] | None
    """The queues that it serves; None: all."""
    beat_at: Instant
    fenced: bool
    running: int
    """The number of triggers that it runs."""
    counters: Mapping[str, int]
    """Its counters since the start of its process, by name."""

    def takes_queue(self, queue: str | None) -> bool:
        """Whether it runs triggers of that queue; triggers without a queue are run by every triggerer."""
        return self.queues is None or queue is None or queue in self.queues

    def is_alive(self, now: Instant, beat_s: float) -> bool:
        """Whether it keeps its triggers; `now` by the database's clock, `beat_s` the seconds between heartbeats."""
        first, last = _live_window(now, beat_s)
        return not self.fenced and first <= self.beat_at <= last


def register_triggerer(
    tx: Transaction, triggerer_id: str, host: str, capacity: int, queues: Sequence[str] | None = None
) -> None:
    """Insert the process start, which runs no trigger yet. Deletes triggerers that ended more than RETENTION_S ago."""
    now = tx.lease_now()
    tx.run("triggerer_leases.remove_old", before=now - round(RETENTION_S * SECOND))
    served = json.dumps(None if queues is None else sorted(queues))
    tx.run("triggerer_leases.add", id=triggerer_id, host=host, capacity=capacity, queues=served, now=now)


def beat_triggerer(tx: Transaction, triggerer_id: str, counters: Mapping[str, int] | None = None) -> bool:
    """Write the heartbeat and the counters; False when the triggerer is fenced. Also terminates frozen sessions."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return (
        tx.run("triggerer_leases.beat", id=triggerer_id, now=tx.lease_now(), counted=json.dumps(dict(counters or {})))
        == 1
    )


def retire_triggerer(tx: Transaction, triggerer_id: str) -> None:
    """A triggerer that ends fences itself and releases its triggers."""
    tx.run("triggerer_leases.fence", id=triggerer_id)
    _release_triggers(tx, [triggerer_id])


def has_silent_triggerer(tx: Transaction, triggerer_id: str, beat_s: float) -> bool:
    """Whether `fence_silent_triggerers` would fence a triggerer. Without other triggerers the clock is not read."""
    oldest, newest = tx.one("triggerer_leases.beat_range", me=triggerer_id) or (None, None)
    if oldest is None or newest is None:
        return False
    first, last = _live_window(tx.lease_now(), beat_s)
    return bool(oldest < first or newest > last)


def fence_silent_triggerers(tx: Transaction, triggerer_id: str, beat_s: float) -> list[str]:
    """Fence the other triggerers without a heartbeat for SILENT_AFTER_BEATS, and release their triggers; returns their ids."""
    before, after = _live_window(tx.lease_now(), beat_s)
    silent = [row[0] for row in tx.all("triggerer_leases.silent", before=before, after=after, me=triggerer_id)]
    fenced = [
        silent_id
        for silent_id in silent
        if tx.run("triggerer_leases.fence_silent", id=silent_id, before=before, after=after)
    ]
    if fenced:
        _release_triggers(tx, fenced)
    return fenced


def list_triggerers(tx: Transaction) -> list[TriggererLease]:
    """All stored triggerers, those that are not fenced first, the newest heartbeat first."""
    running = {row[0]: row[1] for row in tx.all("triggerer_leases.count_running")}
    watching = {row[0]: row[1] for row in tx.all("watcher_claims.count_running")}
    return [
        _decode_lease(row, running.get(row[0], 0) + watching.get(row[0], 0)) for row in tx.all("triggerer_leases.list")
    ]


def list_live_triggerers(tx: Transaction, beat_s: float) -> list[TriggererLease]:
    """The triggerers whose last heartbeat is recent; `beat_s` is the number of seconds between heartbeats."""
    now = tx.lease_now()
    return [row for row in list_triggerers(tx) if row.is_alive(now, beat_s)]


def _release_triggers(tx: Transaction, triggerer_ids: Sequence[str]) -> None:
    tx.run("triggerer_leases.release_triggers", ids=list(triggerer_ids))
    tx.run("triggerer_leases.release_asset_triggers", ids=list(triggerer_ids))
    for triggerer_id in triggerer_ids:
        tx.run("triggerer_leases.remove_cancelled", id=triggerer_id)
        tx.run("triggerer_leases.release_killed", id=triggerer_id)


def _live_window(now: Instant, beat_s: float) -> tuple[Instant, Instant]:
    """The first and the last instant at which a live triggerer may have written its last heartbeat."""
    span = round(SILENT_AFTER_BEATS * beat_s * SECOND)
    return now - span, now + span


def _decode_lease(row: Row, running: int) -> TriggererLease:
    queues = json.loads(row[3])
    return TriggererLease(
        row[0],
        row[1],
        row[2],
        None if queues is None else tuple(queues),
        row[4],
        bool(row[5]),
        running,
        json.loads(row[6]),
    )
