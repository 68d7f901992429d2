"""The API in this process, without a socket: a request is a call of the application, and its time is server time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import psycopg

from bench.api_history import END
from gnomon.api.access.choose_policy import create_context
from gnomon.api.app import THREADS_MAX, create_app
from gnomon.api.health import HealthSnapshot
from gnomon.api.service import tune_garbage_collector
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config


@dataclass(frozen=True, slots=True)
class TimedReply:
    """The answer to one request and the seconds until it was complete."""

    status: int
    body: bytes
    seconds: float
    cpu_s: float
    """Processor seconds of this process and of the database server's."""

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Ask = Callable[..., TimedReply]
"""Called with a token, a method, a path with its query, and a body or None."""


@contextlib.contextmanager
def serve_in_process(url: str, home: Path) -> Iterator[Ask]:
    """The application with accounts over the store at this address, called one request at a time. No request waits for a share of the processors."""
    cfg = load_config(
        {
            "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url,
            "GNOMON_HOME": str(home),
            "GNOMON__API__BUSY_PROCESSOR_PERCENT": "100",
        },
        home,
    )
    context = create_context(cfg, SystemClock(), "127.0.0.1", lambda: HealthSnapshot(END, ()))
    app = create_app(context)
    tune_garbage_collector()
    meter = ProcessorMeter(url)
    with asyncio.Runner() as runner:
        runner.run(_limit_threads())
        try:
            yield lambda token, method, path, body=None: runner.run(_call(app, meter, token, method, path, body))
        finally:
            context.close()
            meter.close()


class ProcessorMeter:
    """Processor seconds of this process and of the sessions of one PostgreSQL database on this machine."""

    def __init__(self, url: str) -> None:
        self._server = None if url.startswith("sqlite") else psycopg.connect(url, autocommit=True)
        self._sessions: list[Path] = []

    def find_sessions(self) -> None:
        """Count the sessions that are open now from here on."""
        if self._server is not None:
            rows = self._server.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchall()
            self._sessions = [Path(f"/proc/{pid}/schedstat") for (pid,) in rows]

    def read_s(self) -> float:
        """Seconds since some instant."""
        spent = 0
        for file in self._sessions:
            with contextlib.suppress(OSError):
                spent += int(file.read_text().split()[0])
        return time.process_time() + spent / 1e9

    def close(self) -> None:
        """Close the connection."""
        if self._server is not None:
            self._server.close()


async def _limit_threads() -> None:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS_MAX


async def _call(app: Any, meter: ProcessorMeter, token: str, method: str, path: str, body: object) -> TimedReply:
    parts = urlsplit(path)
    sent = b"" if body is None else json.dumps(body).encode()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "headers": [
            (b"host", b"bench"),
            (b"authorization", f"Bearer {token}".encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(sent)).encode()),
        ],
    }
    status, parts_of_body = 0, []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            parts_of_body.append(message.get("body", b""))

    meter.find_sessions()
    cpu_before, began = meter.read_s(), time.perf_counter()
    await app(scope, receive, send)
    return TimedReply(status, b"".join(parts_of_body), time.perf_counter() - began, meter.read_s() - cpu_before)
