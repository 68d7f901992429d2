"""Watches the process of a simulation from a thread of it: tells how far it is, and ends it when nobody waits for it, or it takes too long."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from typing import NoReturn

from gnomon.ground.clock import Clock
from gnomon.model.sentences import Sentence, render, say
from gnomon.storage.store import Database
from gnomon.storage.store.alert_records import simulation_jobs
from gnomon.storage.store.errors import DatabaseUnavailable

BEAT_S = 1.0
HARD_FACTOR, HARD_EXTRA_S = 2.0, 30.0
"""One future must be drawn in any case, and may take longer than the time after which no further one is; but not longer than this."""


class SimulationWatch:
    """One thread beside the computation."""

    def __init__(self, db: Database, clock: Clock, simulation_id: str, max_s: float, lifeline: int) -> None:
        """`lifeline`: a descriptor that is at its end when the process that started this one is gone."""
        self._db, self._clock, self._id = db, clock, simulation_id
        self._limit_s = HARD_FACTOR * max_s + HARD_EXTRA_S
        self._max_s = max_s
        self._lifeline = lifeline
        self._parent = os.getppid()
        self._samples = 0
        self._has_ended = threading.Event()
        self._guard = threading.Lock()

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="simulation watch", daemon=True).start()

    def tell(self, samples: int) -> None:
        """So many futures are drawn."""
        self._samples = samples

    def end(self, write: Callable[[int], object]) -> None:
        """Stop watching, and write how it ended: `write` gets the number of futures."""
        with self._guard:
            self._has_ended.set()
            write(self._samples)

    def _watch(self) -> None:
        began = time.monotonic()
        while not self._has_ended.is_set():
            is_alone = bool(select.select([self._lifeline], [], [], BEAT_S)[0]) or os.getppid() != self._parent
            with self._guard:
                if self._has_ended.is_set():
                    return
                if is_alone:
                    self._fail(say("simulation_lost_its_server"))
                if time.monotonic() - began > self._limit_s:
                    self._fail(say("simulation_takes_too_long", duration=self._limit_s, usual=self._max_s))
                if not self._beat():
                    _leave()

    def _beat(self) -> bool:
        try:
            with self._db.write() as tx:
                return simulation_jobs.beat(tx, self._id, self._samples, self._clock.now())
        except DatabaseUnavailable:
            return True  # whoever reads the row sees that nothing was heard for long

    def _fail(self, why: Sentence) -> NoReturn:
        try:
            with self._db.write() as tx:
                simulation_jobs.put_error(tx, self._id, self._samples, render(why), self._clock.now())
        except DatabaseUnavailable:
            pass
        _leave()


def _leave() -> NoReturn:
    os._exit(1)
