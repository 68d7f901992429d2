"""Reads the figures of the deployment, seldom: what a read costs decides how long its answer is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.model.errors.product import GnomonError
from gnomon.queries.report.activity.deployment_figures import DeploymentFigures, read_deployment_figures
from gnomon.storage.store import Database

KEPT_S = 2.0
"""Requests within this time get the same figures."""
KEPT_FACTOR = 20.0
"""A read of one second is kept for so many seconds, so that scrapes take at most a twentieth of one processor."""
_log = log.get_logger("api")


class FiguresReader:
    """Reads once for all requests that arrive together. An unavailable database gives no figures, and no error."""

    def __init__(self, cfg: Config, clock: Clock) -> None:
        self._cfg = cfg
        self._clock = clock
        self._guard = threading.Lock()
        self._last: DeploymentFigures | None = None
        self._again_at = 0.0
        self.read_s = 0.0
        """How long the last read took, in seconds."""

    def read(self, find_database: Callable[[], Database]) -> DeploymentFigures | None:
        """The figures, at most KEPT_S or KEPT_FACTOR times the duration of a read old; None when the database did not answer."""
        with self._guard:
            began_at = self._clock.monotonic()
            if began_at >= self._again_at:
                try:
                    with find_database().read() as tx:
                        self._last = read_deployment_figures(
                            tx, self._clock.now(), self._cfg.number("triggerer", "job_heartbeat_sec")
                        )
                except GnomonError as error:
                    _log.warning("figures_not_read", error=str(error))
                    self._last = None
                ended_at = self._clock.monotonic()
                self.read_s = ended_at - began_at
                self._again_at = ended_at + max(KEPT_S, KEPT_FACTOR * self.read_s)
            return self._last
