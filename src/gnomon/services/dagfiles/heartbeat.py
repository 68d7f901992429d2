"""Heartbeats of the dag-processor in the store, so that the health page shows its state."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.metrics import ProcessFigures
from gnomon.model.errors import GnomonError
from gnomon.storage import store
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.coordination.service_figures import FiguresWriter

HEARTBEAT_S = 5.0
"""Interval; `report.listings.process_health` reports the dag-processor as silent after PROCESSOR_SILENCE_S."""
_log = log.get_logger("dagfiles")


class DagProcessorHeartbeat:
    """Heartbeats of one dag-processor process. A heartbeat that the store refuses is tried again at the next interval."""

    def __init__(
        self,
        db: store.Database,
        clock: Clock,
        figures: ProcessFigures,
        refresh: Callable[[ProcessFigures], object] = lambda _: None,
    ) -> None:
        """`figures`: written with heartbeats; `refresh` is called before."""
        self._db = db
        self._clock = clock
        self._id = str(uuid4())
        self._host = current_host_name()
        self._next_at = clock.monotonic()
        self._figures = FiguresWriter(figures, "dag-processor", self._id, self._host, clock)
        self._figures.refresh = lambda: refresh(figures)

    def beat_if_due(self) -> float:
        """Store a heartbeat if one is due; returns the monotonic second of the next one."""
        now = self._clock.monotonic()
        if now >= self._next_at:
            self._next_at = now + HEARTBEAT_S
            try:
                with self._db.write() as tx:
                    leases.beat_dag_processor(tx, self._id, self._host)
                    self._figures.write_if_due(tx)
            except GnomonError as error:
                _log.debug("heartbeat_failed", error=str(error))
        return self._next_at

    def close(self) -> None:
        """Record that the process ended regularly, so that it is not reported as silent."""
        try:
            with self._db.write() as tx:
                leases.retire_dag_processor(tx, self._id)
                self._figures.remove(tx)
        except GnomonError as error:
            _log.debug("retire_failed", error=str(error))
