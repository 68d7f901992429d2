"""HTTP on the standard library: a bounded number of threads, read-only, two pages."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from typing import Any, ClassVar
from urllib.parse import urlsplit

from gnomon import log
from gnomon.api.health import Health, as_json
from gnomon.api.page import render

THREADS_MAX = 16
"""Requests answered at a time; others wait in the listening socket's queue."""
REQUEST_TIMEOUT_S = 10.0
HEALTH_PATHS = ("/health", "/monitor/health", "/api/v2/monitor/health")
_log = log.get("api")


class Server(ThreadingMixIn, HTTPServer):
    """Answers on a socket that already listens. `look` gives the health of this moment."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, look: Callable[[], Health], version: str) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.look = look
        self.version = version
        self._places = threading.BoundedSemaphore(THREADS_MAX)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._places.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.exception("request_failed", client=str(client_address))


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = REQUEST_TIMEOUT_S
    server_version = "gnomon"
    sys_version = ""
    pages: ClassVar[frozenset[str]] = frozenset({"/", "/index.html"})

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path in HEALTH_PATHS:
            body = json.dumps(as_json(self.server.look()))
            self._answer(HTTPStatus.OK, "application/json", body)
        elif path in self.pages:
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", render(self.server.look(), self.server.version))
        else:
            body = json.dumps({"detail": f"there is no page {path}; there are / and {HEALTH_PATHS[0]}"})
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
