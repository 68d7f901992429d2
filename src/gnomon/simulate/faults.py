"""Faults of the store, drawn from a seed: the transaction that fails, that nobody knows of, and the process that dies around it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from gnomon.store import CommitUncertain, Database, DatabaseUnavailable, Transaction


class SimulatedCrash(BaseException):
    """The process died here: nothing after this point happened. No handler of errors sees it."""


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Probabilities per transaction of an owner or a keeper."""

    unavailable: float = 0.0
    """The database is away before anything was written."""
    uncertain_lost: float = 0.0
    """The connection died in COMMIT, and nothing was committed."""
    uncertain_done: float = 0.0
    """The connection died in COMMIT, after it was committed."""
    crash_before: float = 0.0
    """The process dies before the commit (OWNERSHIP.md window 35)."""
    crash_after: float = 0.0
    """The process dies after the commit and before it acts (windows 36, 39)."""

    def draw(self, rng: random.Random) -> str | None:
        """The fault of the next transaction, or None."""
        roll = rng.random()
        for name in self.__slots__:
            roll -= getattr(self, name)
            if roll < 0:
                return name
        return None


class _SimulatedRollback(Exception):
    """Rolls the real transaction back."""


class FaultyDatabase:
    """A Database in which transactions of owners and keepers fail by plan; everything else passes through."""

    def __init__(self, db: Database, plan: FaultPlan, rng: random.Random) -> None:
        self._db = db
        self.plan = plan
        self._rng = rng
        self.injected: dict[str, int] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    def scheduler_write(self, scheduler_id: str) -> AbstractContextManager[Transaction]:
        return self._failing(self._db.scheduler_write(scheduler_id))

    def triggerer_write(self, triggerer_id: str) -> AbstractContextManager[Transaction]:
        return self._failing(self._db.triggerer_write(triggerer_id))

    @contextmanager
    def _failing(self, transaction: AbstractContextManager[Transaction]) -> Iterator[Transaction]:
        fault = self.plan.draw(self._rng)
        if fault is not None:
            self.injected[fault] = self.injected.get(fault, 0) + 1
        if fault == "unavailable":
            raise DatabaseUnavailable("simulated: the database is away")
        try:
            with transaction as tx:
                yield tx
                if fault in ("uncertain_lost", "crash_before"):
                    raise _SimulatedRollback
        except _SimulatedRollback:
            if fault == "crash_before":
                raise SimulatedCrash from None
            raise CommitUncertain("simulated: the connection died in COMMIT") from None
        if fault == "uncertain_done":
            raise CommitUncertain("simulated: the connection died in COMMIT")
        if fault == "crash_after":
            raise SimulatedCrash
