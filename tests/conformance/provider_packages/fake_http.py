"""A local HTTP server that answers as an API documents, and keeps the requests that it got."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Request:
    """One request."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class FakeApi:
    """The server's place and its requests."""

    port: int
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"


Answer = Any
"""A JSON value, text, bytes, or a function that gets the request and returns one; a pair (status, value) for another status than 200."""


def content_of(text: str | bytes) -> bytes:
    """The bytes of an answer."""
    return text if isinstance(text, bytes) else text.encode()


@contextmanager
def fake_api(answers: Mapping[str, Answer], headers: Mapping[str, str] | None = None) -> Iterator[FakeApi]:
    """Run the server. `answers`: `GET /path` to the answer, without the query; every other request gets a 404."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            parts = urlsplit(self.path)
            request = Request(self.command, parts.path, parts.query, dict(self.headers), self._read_body())
            api.requests.append(request)
            found = answers.get(f"{self.command} {parts.path}", (404, {"error": "unknown"}))
            value = found(request) if isinstance(found, Callable) else found  # type: ignore[arg-type]
            status, value = value if isinstance(value, tuple) else (200, value)
            text = value if isinstance(value, (str, bytes)) else json.dumps(value)
            self.send_response(status)
            self.send_header("Content-Type", "text/plain" if isinstance(value, (str, bytes)) else "application/json")
            for name, content in (headers or {}).items():
                self.send_header(name, content)
            self.send_header("Content-Length", str(len(content_of(text))))
            self.send_header("Connection", "close")  # clients that read a stream from the socket wait for its end
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content_of(text))
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer

        def _read_body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = FakeApi(server.server_address[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield api
        finally:
            server.shutdown()
