"""What an api-server counts of itself, and the middleware that counts it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.metrics import ProcessFigures, definitions
from gnomon.model.errors.product import GnomonError
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.coordination.service_figures import FIGURES_S, FiguresWriter

SERVICE = "api-server"
UNMATCHED = "none"
"""The label of requests that no route matches; their paths are chosen by clients, so they cannot be labels."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
PREFIXES = ("/api/v2", "/api/gnomon/v1")
_log = log.get_logger("api")


class ServerFigures:
    """The figures of this api-server. Another one that is asked for `/metrics` reads them from the database."""

    def __init__(self, clock: Clock, find_database: Callable[[], Database]) -> None:
        """`find_database`: opens the database, or raises GnomonError."""
        self.process_id = str(uuid.uuid4())
        self.figures = ProcessFigures()
        self._clock = clock
        self._find_database = find_database
        self._writer = FiguresWriter(self.figures, SERVICE, self.process_id, current_host_name(), clock)
        self._writing: asyncio.Future[None] | None = None
        self._is_stored = False
        self._begin_at = clock.monotonic() + FIGURES_S
        self._open = 0

    def record_begin(self) -> float:
        """A request has arrived; returns the monotonic second."""
        self._open += 1
        self.figures.put(definitions.API_OPEN, self._open)
        return self._clock.monotonic()

    def record_answer(self, scope: Scope, status: int, began_at: float) -> None:
        """Count a request whose answer begins."""
        method = scope["method"] if scope["method"] in METHODS else UNMATCHED
        self.figures.observe(
            definitions.API_DURATION,
            self._clock.monotonic() - began_at,
            method,
            _find_route(scope),
            f"{status // 100}xx",
        )

    def record_end(self) -> None:
        """A request is answered."""
        self._open -= 1
        self.figures.put(definitions.API_OPEN, self._open)
        now = self._clock.monotonic()
        if now >= self._begin_at and self._writer.is_due() and (self._writing is None or self._writing.done()):
            self._writing = asyncio.get_running_loop().run_in_executor(None, self._write)

    def write_if_due(self, tx: Transaction) -> None:
        """Store the figures if the last write is FIGURES_S old."""
        self._writer.write_if_due(tx)
        self._is_stored = True

    def _write(self) -> None:
        """Store the figures, in a thread. What cannot be stored now is stored later: the figures only grow."""
        try:
            with self._find_database().write() as tx:
                self.write_if_due(tx)
        except GnomonError as error:
            _log.debug("figures_not_stored", error=str(error))

    def remove(self, db: Database) -> None:
        """Delete the stored figures: the server ends."""
        if not self._is_stored:
            return
        try:
            with db.write() as tx:
                self._writer.remove(tx)
        except GnomonError as error:
            _log.debug("figures_not_removed", error=str(error))


def _find_route(scope: Scope) -> str:
    """The pattern of the address. Releases of FastAPI differ in whether the route of an included router has the prefix of its router."""
    pattern: str = getattr(scope.get("route"), "path", None) or UNMATCHED
    prefix = next((prefix for prefix in PREFIXES if scope["path"].startswith(f"{prefix}/")), "")
    return pattern if pattern == UNMATCHED or pattern.startswith(prefix) else prefix + pattern


class RequestTimes:
    """Middleware: measures from the arrival of each request to the beginning of its answer."""

    def __init__(self, app: ASGIApp, figures: ServerFigures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_at = self._figures.record_begin()

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._figures.record_answer(scope, message["status"], began_at)
            await send(message)

        try:
            await self._app(scope, receive, send_and_count)
        finally:
            self._figures.record_end()
