"""An HTTP server for tests: a thread that keeps the requests it received and answers with the statuses that a test gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Posted:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class WebhookServer:
    """The requests that arrived; `answers`: (status, headers) of the next ones, then 200."""

    url: str = ""
    posts: list[Posted] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    delay_s: float = 0.0
    stopped: threading.Event = field(default_factory=threading.Event)


@contextmanager
def webhook_server() -> Iterator[WebhookServer]:
    """Run the server on a free port of this machine."""
    state = WebhookServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.stopped.wait(state.delay_s)
            status, headers = state.answers.pop(0) if state.answers else (200, {})
            state.posts.append(Posted(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"the answer")

        def log_message(self, format: str, *args: object) -> None:
            """Tests print nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that gave up is no error of the test."""

    with Server(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            state.stopped.set()
            server.shutdown()
            thread.join()
