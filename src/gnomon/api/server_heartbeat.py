"""Heartbeats of the api-server in the store: schedulers know by them whether workers without a database could send theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from gnomon.api.metrics.server_figures import ServerFigures
from gnomon.ground import log
from gnomon.ground.config.host_name import current_host_name
from gnomon.model.errors.product import GnomonError
from gnomon.storage.store import Database
from gnomon.storage.store.coordination import leases

_log = log.get_logger("api")


class ApiServerHeartbeat:
    """Heartbeats of one api-server process, sent by the event loop that answers its requests: one that stands still sends none."""

    def __init__(self, figures: ServerFigures, find_database: Callable[[], Database]) -> None:
        """`figures`: written with heartbeats. `find_database`: opens the database, or raises GnomonError."""
        self._figures = figures
        self._find_database = find_database
        self._host = current_host_name()

    async def run(self) -> None:
        """Send a heartbeat each API_BEAT_S seconds until the task is cancelled. One that the store refuses is sent again at the next interval."""
        while True:
            beat = asyncio.get_running_loop().run_in_executor(None, self.beat)
            try:
                await asyncio.shield(beat)
            except asyncio.CancelledError:
                await beat  # else it would open the database that the end of the server closes
                raise
            await asyncio.sleep(leases.API_BEAT_S)

    def beat(self) -> None:
        """Store a heartbeat, and figures if they are due."""
        try:
            with self._find_database().write() as tx:
                leases.beat_api_server(tx, self._figures.process_id, self._host)
                self._figures.write_if_due(tx)
        except GnomonError as error:
            _log.debug("heartbeat_failed", error=str(error))
        except Exception:  # a fault of ours must not end the heartbeats while requests are answered
            _log.exception("heartbeat_failed")

    def close(self) -> None:
        """Record that the process ended regularly."""
        try:
            with self._find_database().write() as tx:
                leases.retire_api_server(tx, self._figures.process_id)
        except GnomonError as error:
            _log.debug("retire_failed", error=str(error))
