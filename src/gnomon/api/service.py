"""The HTTP server: a bounded number of threads, read-only, a page and a JSON endpoint."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from socketserver import ThreadingMixIn
from typing import Any, ClassVar
from urllib.parse import urlsplit

from gnomon import log
from gnomon.api.health import HealthSnapshot, to_airflow_json
from gnomon.api.health_reader import HealthReader
from gnomon.api.page import render_page
from gnomon.clock import SystemClock
from gnomon.config import Config
from gnomon.wakeups import StopFlag

THREADS_MAX = 16
"""Requests answered at the same time; others wait in the queue of the listening socket."""
REQUEST_TIMEOUT_S = 10.0
HEALTH_PATHS = ("/health", "/monitor/health", "/api/v2/monitor/health")
_log = log.get_logger("api")


class ApiServer(ThreadingMixIn, HTTPServer):
    """Answers on a socket that already listens. `read_health` gives the current health."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, read_health: Callable[[], HealthSnapshot], version: str) -> None:
        super().__init__(listener.getsockname()[:2], _RequestHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.read_health = read_health
        self.version = version
        self._slots = threading.BoundedSemaphore(THREADS_MAX)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._slots.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.exception("request_failed", client=str(client_address))


class _RequestHandler(BaseHTTPRequestHandler):
    server: ApiServer
    timeout = REQUEST_TIMEOUT_S
    server_version = "gnomon"
    sys_version = ""
    pages: ClassVar[frozenset[str]] = frozenset({"/", "/index.html"})

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path in HEALTH_PATHS:
            body = json.dumps(to_airflow_json(self.server.read_health()))
            self._answer(HTTPStatus.OK, "application/json", body)
        elif path in self.pages:
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", render_page(self.server.read_health(), self.server.version))
        else:
            body = json.dumps({"detail": f"there is no page {path}; the pages are / and {HEALTH_PATHS[0]}"})
            self._answer(HTTPStatus.NOT_FOUND, "application/json", body)

    do_HEAD = do_GET  # noqa: N815

    def _answer(self, status: HTTPStatus, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        _log.debug("request", client=self.client_address[0], line=format % args)


_log = log.get_logger("api")


def main(cfg: Config, listener: socket.socket) -> int:
    """Answer requests on the listening socket until SIGTERM or Ctrl-C; returns the exit code."""
    stop = StopFlag().install_handlers()
    listener.setblocking(False)
    reader = HealthReader(cfg, SystemClock())
    server = ApiServer(listener, reader.read_health, _version())
    server.timeout = 0
    _log.info("api_server_started")
    while not stop():
        ready, _, _ = select.select([listener.fileno(), stop.fileno()], [], [])
        if listener.fileno() in ready:
            server.handle_request()
    reader.close()
    _log.info("api_server_stopped")
    return 0


def _version() -> str:
    try:
        return metadata.version("gnomon")
    except metadata.PackageNotFoundError:
        return "of a source tree"
