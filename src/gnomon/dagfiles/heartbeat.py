"""The dag-processor says in the store that it is alive, so that the page knows it wherever it runs."""

from __future__ import annotations

import socket
from uuid import uuid4

from gnomon import log, store
from gnomon.clock import Clock
from gnomon.errors import GnomonError
from gnomon.store.ownership import leases

HEARTBEAT_S = 5.0
"""So often; `report.health` calls one silent after `PROCESSOR_SILENCE_S`."""
_log = log.get_logger("dagfiles")


class DagProcessorHeartbeat:
    """The beats of one process start. A store that is away or full is tried again at the next beat."""

    def __init__(self, db: store.Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._id = str(uuid4())
        self._host = socket.gethostname()
        self._next_at = clock.monotonic()

    def beat_if_due(self) -> float:
        """A beat is in the store if one was due; returns the monotonic second of the next."""
        now = self._clock.monotonic()
        if now >= self._next_at:
            self._next_at = now + HEARTBEAT_S
            try:
                with self._db.write() as tx:
                    leases.beat_dag_processor(tx, self._id, self._host)
            except GnomonError as error:
                _log.debug("no_beat", error=str(error))
        return self._next_at

    def close(self) -> None:
        """Nobody takes this process for a silent one: it ended in good order."""
        try:
            with self._db.write() as tx:
                leases.retire_dag_processor(tx, self._id)
        except GnomonError as error:
            _log.debug("not_retired", error=str(error))
