"""GET /health of one scheduler process: `[scheduler] enable_health_check`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.services.scheduler.lease import Lease

REQUEST_TIMEOUT_S = 5.0
_log = log.get_logger("app")


class SchedulerHealthServer(HTTPServer):
    """Answers one request after the other, in a thread of its own, until `close`."""

    def __init__(self, address: tuple[str, int], is_healthy: Callable[[], bool]) -> None:
        """Raises OSError when the address cannot be listened on."""
        super().__init__(address, _HealthHandler)
        self.is_healthy = is_healthy
        self._thread = threading.Thread(target=self.serve_forever, name="health", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop answering."""
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.debug("health_request_failed", client=str(client_address))


class _HealthHandler(BaseHTTPRequestHandler):
    server: SchedulerHealthServer
    timeout = REQUEST_TIMEOUT_S

    def do_GET(self) -> None:
        if self.path != "/health":
            self._answer(HTTPStatus.NOT_FOUND, {"error": "there is only /health"})
        elif self.server.is_healthy():
            self._answer(HTTPStatus.OK, {"status": "healthy"})
        else:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {"status": "unhealthy"})

    def _answer(self, status: HTTPStatus, body: dict[str, str]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Requests are not logged."""


def open_health_server(cfg: Config, lease: Lease, clock: Clock) -> SchedulerHealthServer | None:
    """Return the running server; None when the option is off, or, with an error in the log, when its port cannot be used."""
    if not cfg.boolean("scheduler", "enable_health_check"):
        return None
    threshold = cfg.number("scheduler", "scheduler_health_check_threshold")
    address = (
        cfg.text("scheduler", "scheduler_health_check_server_host"),
        cfg.integer("scheduler", "scheduler_health_check_server_port"),
    )

    def is_healthy() -> bool:
        return lease.stored_beat_at is not None and clock.monotonic() - lease.stored_beat_at < threshold

    try:
        server = SchedulerHealthServer(address, is_healthy)
    except OSError as error:
        _log.error(
            "health_check_not_started",
            address=f"{address[0]}:{address[1]}",
            error=str(error),
            remedy="set [scheduler] scheduler_health_check_server_port to a free port; the scheduler runs without it",
        )
        return None
    _log.info("health_check_started", address=f"{address[0]}:{server.server_address[1]}")
    return server
