"""The application on a real socket, in a thread, and a client of it."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from tests.patience import PATIENCE_S

from gnomon.api.context import ApiContext
from gnomon.api.service import ApiServer, create_server
from gnomon.api.streams.event_stream import MEDIA_TYPE
from gnomon.ground.config import Config
from gnomon.ground.config.option import OptionKey
from gnomon.ground.config.sources import OptionValue


class Reply(NamedTuple):
    """The answer to a request."""

    status: int
    kind: str | None
    body: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """Makes requests to one server. `headers`: sent with each request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.headers: dict[str, str] = {}

    def request(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Reply:
        """One request; a body that is not bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, sent, {**self.headers, **kind, **(headers or {})})
            answer = connection.getresponse()
            if answer.getheader("Content-Type") == MEDIA_TYPE:  # it does not end
                return Reply(answer.status, MEDIA_TYPE, _read_event(answer), dict(answer.getheaders()))
            return Reply(answer.status, answer.getheader("Content-Type"), answer.read(), dict(answer.getheaders()))
        finally:
            connection.close()

    @contextmanager
    def stream(self, query: str = "", last: str | None = None, **headers: str) -> Iterator[EventReader]:
        """A stream of events; `last`: the id of the last event."""
        reader = EventReader(
            self.port, f"/api/gnomon/v1/events{query}", {**({} if last is None else {"Last-Event-ID": last}), **headers}
        )
        try:
            yield reader
        finally:
            reader.close()

    def get(self, path: str) -> Any:
        """The JSON of a GET below /api/v2 that must succeed."""
        reply = self.request("GET", f"/api/v2{path}")
        assert reply.status == 200, (path, reply)
        return reply.json()

    def send(self, method: str, path: str, body: object = None, status: int = 200) -> Any:
        """The JSON of a request below /api/v2 that must be answered with this status."""
        reply = self.request(method, f"/api/v2{path}", body)
        assert reply.status == status, (path, reply)
        return reply.json() if reply.body else None

    def own(self, path: str, status: int = 200) -> Any:
        """The JSON of a GET below /api/gnomon/v1 that must be answered with this status."""
        reply = self.request("GET", f"/api/gnomon/v1{path}")
        assert reply.status == status, (path, reply)
        return reply.json()

    def fails(self, status: int, path: str, method: str = "GET", body: object = None) -> Any:
        """The detail of a request below /api/v2 that must fail with this status."""
        return self.send(method, path, body, status)["detail"]


class EventReader:
    """Reads the events of one stream."""

    def __init__(self, port: int, path: str, headers: dict[str, str]) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self.connection.request("GET", path, None, headers)
        self.answer = self.connection.getresponse()

    def next(self) -> tuple[str, str, Any]:
        """Kind, id and data of the next event that is no heartbeat. Raises EOFError at the end of the stream."""
        while True:
            text = _read_event(self.answer)
            if not text:
                raise EOFError
            fields = dict(line.split(": ", 1) for line in text.decode().splitlines() if ": " in line)
            if fields.get("event", "heartbeat") != "heartbeat":
                return fields["event"], fields["id"], json.loads(fields["data"])

    def close(self) -> None:
        """Leave."""
        self.answer.close()
        self.connection.close()


def _read_event(answer: http.client.HTTPResponse) -> bytes:
    """The lines up to the next empty one; nothing at the end of the stream."""
    lines = b""
    while not lines.endswith(b"\n\n"):
        line = answer.readline()
        if not line:
            return b""
        lines += line
    return lines


class _Server(ApiServer):
    """The server of the product without uvicorn's pause of a tenth of a second at the end, which each test would wait."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End when the requests and connections have ended."""
        for one in [*self.servers, *(sockets or [])]:
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.002)
        await self.lifespan.shutdown()


def _without_share(cfg: Config) -> Config:
    """Requests do not wait for a share of the processors, unless a test sets one: all of them are busy while tests run."""
    if cfg.source("api", "busy_processor_percent") != "default":
        return cfg
    return replace(
        cfg,
        _values={
            **cfg._values,
            OptionKey("api", "busy_processor_percent"): OptionValue("100", "tests/unit/api/served.py"),
        },
    )


@contextmanager
def served(context: ApiContext) -> Iterator[Client]:
    """A client of the application, until the end of the block."""
    context.cfg = _without_share(context.cfg)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    started, loops, servers = threading.Event(), [], []

    async def serve() -> None:
        server = create_server(context)
        server.__class__ = _Server
        loops.append(asyncio.get_running_loop())
        servers.append(server)
        started.set()
        await server.serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        yield Client(port)
    finally:
        loops[0].call_soon_threadsafe(servers[0].request_stop)
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
