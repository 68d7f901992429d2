"""Which triggerers are alive, and the end of one that is not (OWNERSHIP.md line 21). By the database's clock, as all leases.

Every write in the name of a triggerer is made in `Database.keeper`, which proves first that it is not fenced.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.store.ownership.leases import RETENTION_S, terminate_frozen_sessions
from gnomon.store.transaction import LEASE_TTL_S, Row, Transaction

SILENT_AFTER_BEATS = 2.1
"""A triggerer that has left out so many beats is dead for the others, and not before.

So is one whose last beat lies so far ahead: the clock was set back since, and who is alive has beaten again.
"""


@dataclass(frozen=True, slots=True)
class TriggererLease:
    """One triggerer process."""

    triggerer_id: str
    host: str
    capacity: int
    queues: tuple[str, ...] | None
    """None: all."""
    beat_at: Instant
    fenced: bool
    running: int
    """Triggers that it runs."""
    counters: Mapping[str, int]
    """Its figures since the start of its process, by name."""

    def takes_queue(self, queue: str | None) -> bool:
        """Whether it takes triggers of that queue; None is everybody's."""
        return self.queues is None or queue is None or queue in self.queues

    def is_alive(self, now: Instant, beat_s: float) -> bool:
        """Whether its triggers stay with it; `now` by the database's clock."""
        first, last = _live_window(now, beat_s)
        return not self.fenced and first <= self.beat_at <= last


def register_triggerer(tx: Transaction, triggerer_id: str, host: str, capacity: int, queues: Sequence[str] | None = None) -> None:
    """The process start is known and alive; it runs nothing yet. Those gone for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("triggerers.forget", before=now - round(RETENTION_S * SECOND))
    listens = json.dumps(None if queues is None else sorted(queues))
    tx.run("triggerers.add", id=triggerer_id, host=host, capacity=capacity, queues=listens, now=now)


def beat_triggerer(tx: Transaction, triggerer_id: str, counted: Mapping[str, int] | None = None) -> bool:
    """The triggerer is alive and has counted so much; False when it was fenced. Nobody frozen holds a lock for long."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("triggerers.beat", id=triggerer_id, now=tx.lease_now(), counted=json.dumps(dict(counted or {}))) == 1


def retire_triggerer(tx: Transaction, triggerer_id: str) -> None:
    """The triggerer ends in good order: its triggers are anybody's at once, and it can never write again."""
    tx.run("triggerers.fence", id=triggerer_id)
    _release_triggers(tx, [triggerer_id])


def has_silent_triggerer(tx: Transaction, me: str, beat_s: float) -> bool:
    """Whether `fence_silent_triggerers` has anything to do. Who is alone asks for no time."""
    oldest, newest = tx.one("triggerers.beats", me=me) or (None, None)
    if oldest is None or newest is None:
        return False
    first, last = _live_window(tx.lease_now(), beat_s)
    return bool(oldest < first or newest > last)


def fence_silent_triggerers(tx: Transaction, me: str, beat_s: float) -> list[str]:
    """Triggerers that have been silent for SILENCE_BEATS are fenced, and their triggers anybody's; returns them."""
    before, after = _live_window(tx.lease_now(), beat_s)
    silent = [row[0] for row in tx.all("triggerers.silent", before=before, after=after, me=me)]
    fenced = [dead for dead in silent if tx.run("triggerers.fence_silent", id=dead, before=before, after=after)]
    if fenced:
        _release_triggers(tx, fenced)
    return fenced


def list_triggerers(tx: Transaction) -> list[TriggererLease]:
    """All that are known, those that are not fenced first, the last heard of first."""
    running = {row[0]: row[1] for row in tx.all("triggerers.running")}
    return [_decode_lease(row, running.get(row[0], 0)) for row in tx.all("triggerers.all")]


def list_live_triggerers(tx: Transaction, beat_s: float) -> list[TriggererLease]:
    """Those whose last beat is young enough."""
    now = tx.lease_now()
    return [row for row in list_triggerers(tx) if row.is_alive(now, beat_s)]


def _release_triggers(tx: Transaction, triggerer_ids: Sequence[str]) -> None:
    tx.run("triggerers.give_up_triggers", ids=list(triggerer_ids))
    for triggerer_id in triggerer_ids:
        tx.run("triggerers.give_up_notes", id=triggerer_id)
        tx.run("triggerers.give_up_kills", id=triggerer_id)


def _live_window(now: Instant, beat_s: float) -> tuple[Instant, Instant]:
    """The first and the last instant at which who is alive may have beaten last."""
    span = round(SILENT_AFTER_BEATS * beat_s * SECOND)
    return now - span, now + span


def _decode_lease(row: Row, running: int) -> TriggererLease:
    queues = json.loads(row[3])
    return TriggererLease(row[0], row[1], row[2], None if queues is None else tuple(queues), row[4], bool(row[5]), running, json.loads(row[6]))
