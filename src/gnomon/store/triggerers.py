"""Which triggerers are alive, and the end of one that is not (OWNERSHIP.md line 21). By the database's clock, as all leases.

Every write in the name of a triggerer is made in `Database.keeper`, which proves first that it is not fenced.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.store.leases import REMEMBER_S, end_frozen
from gnomon.store.lifetimes import TTL_S
from gnomon.store.transaction import Row, Transaction

SILENCE_BEATS = 2.1
"""A triggerer that has left out so many beats is dead for the others, and not before.

So is one whose last beat lies so far ahead: the clock was set back since, and who is alive has beaten again.
"""


@dataclass(frozen=True, slots=True)
class TriggererRow:
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
    counted: Mapping[str, int]
    """Its figures since the start of its process, by name."""

    def listens_to(self, queue: str | None) -> bool:
        """Whether it takes triggers of that queue; None is everybody's."""
        return self.queues is None or queue is None or queue in self.queues

    def is_alive(self, now: Instant, beat_s: float) -> bool:
        """Whether its triggers stay with it; `now` by the database's clock."""
        first, last = _bounds(now, beat_s)
        return not self.fenced and first <= self.beat_at <= last


def register(tx: Transaction, triggerer_id: str, host: str, capacity: int, queues: Sequence[str] | None = None) -> None:
    """The process start is known and alive; it runs nothing yet. Those gone for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("triggerers.forget", before=now - round(REMEMBER_S * SECOND))
    listens = json.dumps(None if queues is None else sorted(queues))
    tx.run("triggerers.add", id=triggerer_id, host=host, capacity=capacity, queues=listens, now=now)


def beat(tx: Transaction, triggerer_id: str, counted: Mapping[str, int] | None = None) -> bool:
    """The triggerer is alive and has counted so much; False when it was fenced. Nobody frozen holds a lock for long."""
    end_frozen(tx, TTL_S)
    return tx.run("triggerers.beat", id=triggerer_id, now=tx.lease_now(), counted=json.dumps(dict(counted or {}))) == 1


def retire(tx: Transaction, triggerer_id: str) -> None:
    """The triggerer ends in good order: its triggers are anybody's at once, and it can never write again."""
    tx.run("triggerers.fence", id=triggerer_id)
    _give_up(tx, [triggerer_id])


def is_silent(tx: Transaction, me: str, beat_s: float) -> bool:
    """Whether `fence_dead` has anything to do. Who is alone asks for no time."""
    oldest, newest = tx.one("triggerers.beats", me=me) or (None, None)
    if oldest is None or newest is None:
        return False
    first, last = _bounds(tx.lease_now(), beat_s)
    return bool(oldest < first or newest > last)


def fence_dead(tx: Transaction, me: str, beat_s: float) -> list[str]:
    """Triggerers that have been silent for SILENCE_BEATS are fenced, and their triggers anybody's; returns them."""
    before, after = _bounds(tx.lease_now(), beat_s)
    silent = [row[0] for row in tx.all("triggerers.silent", before=before, after=after, me=me)]
    fenced = [dead for dead in silent if tx.run("triggerers.fence_silent", id=dead, before=before, after=after)]
    if fenced:
        _give_up(tx, fenced)
    return fenced


def known(tx: Transaction) -> list[TriggererRow]:
    """All that are known, those that are not fenced first, the last heard of first."""
    running = {row[0]: row[1] for row in tx.all("triggerers.running")}
    return [_row(row, running.get(row[0], 0)) for row in tx.all("triggerers.all")]


def alive(tx: Transaction, beat_s: float) -> list[TriggererRow]:
    """Those whose last beat is young enough."""
    now = tx.lease_now()
    return [row for row in known(tx) if row.is_alive(now, beat_s)]


def _give_up(tx: Transaction, triggerer_ids: Sequence[str]) -> None:
    tx.run("triggerers.give_up_triggers", ids=list(triggerer_ids))
    for triggerer_id in triggerer_ids:
        tx.run("triggerers.give_up_notes", id=triggerer_id)
        tx.run("triggerers.give_up_kills", id=triggerer_id)


def _bounds(now: Instant, beat_s: float) -> tuple[Instant, Instant]:
    """The first and the last instant at which who is alive may have beaten last."""
    span = round(SILENCE_BEATS * beat_s * SECOND)
    return now - span, now + span


def _row(row: Row, running: int) -> TriggererRow:
    queues = json.loads(row[3])
    return TriggererRow(row[0], row[1], row[2], None if queues is None else tuple(queues), row[4], bool(row[5]), running, json.loads(row[6]))
