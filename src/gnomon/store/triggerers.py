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
"""A triggerer that has left out so many beats is dead for the others, and not before."""


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

    def is_alive(self, now: Instant, beat_s: float) -> bool:
        """Whether its triggers stay with it; `now` by the database's clock."""
        return not self.fenced and self.beat_at >= _silent_since(now, beat_s)


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
    row = tx.one("triggerers.oldest_beat", me=me)
    return row is not None and row[0] is not None and row[0] < _silent_since(tx.lease_now(), beat_s)


def fence_dead(tx: Transaction, me: str, beat_s: float) -> list[str]:
    """Triggerers that have been silent for SILENCE_BEATS are fenced, and their triggers anybody's; returns them."""
    before = _silent_since(tx.lease_now(), beat_s)
    silent = [row[0] for row in tx.all("triggerers.silent", before=before, me=me)]
    fenced = [dead for dead in silent if tx.run("triggerers.fence_silent", id=dead, before=before)]
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


def _silent_since(now: Instant, beat_s: float) -> Instant:
    return now - round(SILENCE_BEATS * beat_s * SECOND)


def _row(row: Row, running: int) -> TriggererRow:
    queues = json.loads(row[3])
    return TriggererRow(row[0], row[1], row[2], None if queues is None else tuple(queues), row[4], bool(row[5]), running, json.loads(row[6]))
