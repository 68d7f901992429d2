"""Faults of the store, drawn from a seed: a transaction that fails, one with an unknown outcome, a process that dies around it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from gnomon.storage.store import CommitUncertain, Database, DatabaseUnavailable, Transaction


class SimulatedCrash(BaseException):
    """The process died here. It is a BaseException, so that no handler of errors catches it."""


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Probabilities of the faults of one transaction of a scheduler or triggerer; the fields are the names of the faults."""

    unavailable: float = 0.0
    """The database is unavailable before anything is written."""
    uncertain_lost: float = 0.0
    """The connection is lost in COMMIT, and nothing was committed."""
    uncertain_done: float = 0.0
    """The connection is lost in COMMIT, after the commit."""
    crash_before: float = 0.0
    """The process dies before the commit (WINDOWS in docs/contributing/ownership.md)."""
    crash_after: float = 0.0
    """The process dies after the commit and before it acts (WINDOWS there)."""

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
    """A Database whose transactions of schedulers and triggerers fail by `plan`; every other call goes to the real Database."""

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
            raise DatabaseUnavailable("simulated: the database is unavailable")
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
