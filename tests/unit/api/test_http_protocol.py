"""Senders that are slow, or send nothing, lose their connection; others keep it."""

from __future__ import annotations

import asyncio
import gc
import socket
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.patience import PATIENCE_S
from tests.unit.api.served import Client, served

from gnomon.api import http_protocol
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.openapi_document import OpenApiDocument
from gnomon.api.service import create_server
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config

WHOLE = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"


async def _answer_long(_document: OpenApiDocument, _request: Request) -> Response:
    return Response(TEXT)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", 0.2)
    monkeypatch.setattr(OpenApiDocument, "answer", _answer_long)
    with served(
        ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
    ) as made:
        yield made


def _read_to_end(connection: socket.socket) -> bytes:
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


@pytest.mark.parametrize(
    "sent", [b"", WHOLE[:20], b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"]
)
def test_half_a_request_ends_the_connection(client: Client, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(sent)
        assert b"200 OK" not in _read_to_end(connection)


def test_a_whole_request_keeps_the_connection_and_half_of_the_next_ends_it(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        for _ in range(3):
            connection.sendall(WHOLE)
            answer = b""
            while not answer.endswith(b"\r\n\r\n{}"):
                answer += connection.recv(65536)
            assert b"200 OK" in answer
        connection.sendall(WHOLE[:30])
        assert _read_to_end(connection) == b""


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /" + b"x" * 80_000,
        b"GET /health HTTP/1.1\r\nHost: here\r\nCookie: " + b"x" * 80_000,
        b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 12_000,
        b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
        + b"A: b\r\n" * 100_000,
        b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nCookie: " + b"x" * 65_536 + b"\r\n\r\n{}",
    ],
    ids=["request line", "one header", "many headers", "trailers", "complete headers"],
)
def test_headers_without_end_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with (
        socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection,
        suppress(ConnectionError),
    ):
        connection.sendall(sent)
        assert b" 431 " in _read_to_end(connection)


def test_small_pieces_of_a_long_body_are_no_long_headers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(
            b"POST /api/v2/pools HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(b"1\r\nx\r\n" * 30_000 + b"0\r\n\r\n")
        assert b" 422 " in _read_to_end(connection)


def test_pipelined_requests_are_answered_in_order_and_too_many_end_the_connection(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    unknown = b"GET /execution/nothing HTTP/1.1\r\nHost: here\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(WHOLE + unknown + b"\r\n" + WHOLE + unknown + b"Connection: close\r\n\r\n")
        answers = [part[:3] for part in _read_to_end(connection).split(b"HTTP/1.1 ")[1:]]
    assert answers == [b"200", b"404", b"200", b"404"]
    with (
        socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection,
        suppress(ConnectionError),
    ):
        connection.sendall(WHOLE * 1_000)
        assert b" 400 " in _read_to_end(connection)


def test_a_full_server_closes_the_oldest_connection_that_waits_and_answers_the_new_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "CONNECTIONS_MAX", 2)
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with ExitStack() as opened:
        silent = [
            opened.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S))
            for _ in range(2)
        ]
        assert client.request("GET", "/health").status == 200
        with suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""
        silent[1].sendall(WHOLE)
        assert silent[1].recv(12) == b"HTTP/1.1 200"


LONG = "/openapi.json"
TEXT = b"".join(b"%d\n" % number for number in range(300_000))
"""What is answered there in these tests: two megabytes."""


def _ask_and_not_read(client: Client, opened: ExitStack) -> socket.socket:
    """A client that asks for more than the buffers of its connection take, and reads only the beginning."""
    connection = opened.enter_context(socket.socket())
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(PATIENCE_S)
    connection.connect(("127.0.0.1", client.port))
    connection.sendall(f"GET {LONG} HTTP/1.1\r\nHost: here\r\n\r\n".encode() * http_protocol.PIPELINED_MAX)
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def _wait_until_stalled(count: int) -> http_protocol._Connections:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        for server in list(http_protocol._servers.values()):
            if len(server.stalled) == count:
                return server
        time.sleep(0.01)
    raise AssertionError(f"no server has {count} connections that are not read")


def _is_ended(connection: socket.socket) -> bool:
    try:
        while connection.recv(1_000_000):
            pass
    except ConnectionError:
        return True
    return True


def test_a_client_that_does_not_read_keeps_little_of_its_answer_in_memory(client: Client) -> None:
    with ExitStack() as opened:
        _ask_and_not_read(client, opened)
        server = _wait_until_stalled(1)
        (stalled,) = server.stalled
        assert stalled.transport.get_write_buffer_size() <= 3 * http_protocol.PIECE_BYTES


def test_of_too_many_answers_that_nobody_reads_the_first_ends(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "STALLED_MAX", 2)
    with ExitStack() as opened:
        first, _second = _ask_and_not_read(client, opened), _ask_and_not_read(client, opened)
        others = list(_wait_until_stalled(2).stalled)[1:]
        _ask_and_not_read(client, opened)
        assert _is_ended(first)
        assert list(_wait_until_stalled(2).stalled)[:1] == others


def test_a_full_server_of_answers_that_nobody_reads_answers_the_new_client(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "CONNECTIONS_MAX", 3)
    with ExitStack() as opened:
        first, *_ = (_ask_and_not_read(client, opened) for _ in range(3))
        _wait_until_stalled(3)
        for _ in range(5):
            assert client.request("GET", "/health").status == 200
        assert _is_ended(first)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_an_answer_in_pieces_is_whole(client: Client, version: str) -> None:
    assert client.request("GET", LONG).headers["content-length"] == str(len(TEXT))
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(f"GET {LONG} HTTP/{version}\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
        assert _read_to_end(connection).partition(b"\r\n\r\n")[2] == TEXT


def test_a_connection_that_is_lost_leaves_nothing_to_the_garbage_collector(client: Client) -> None:
    """Requests that wait for the answer of the one before referred to their connection, and it to them."""
    gc.collect()
    gc.disable()
    try:
        with ExitStack() as opened:
            _ask_and_not_read(client, opened)
            left = [
                weakref.ref(one)
                for protocol in _wait_until_stalled(1).stalled
                for one in (protocol, protocol.transport)
            ]
        _wait_until_stalled(0)
        until = time.monotonic() + PATIENCE_S
        while any(one() is not None for one in left) and time.monotonic() < until:
            client.request("GET", "/health")
        assert [one() for one in left] == [None, None]
    finally:
        gc.enable()


def test_a_connection_that_is_made_while_the_server_ends_gets_its_answer(tmp_path: Path) -> None:
    async def serve_and_end() -> tuple[bytes, bytes]:
        context = ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
        server, listener = create_server(context), socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        late, silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        while len(server.server_state.connections) < 2:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.002)
        server.request_stop()
        while listener.fileno() != -1:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0)
        late[1].write(WHOLE)
        answers = await asyncio.gather(late[0].read(), silent[0].read())
        late[1].close()
        silent[1].close()
        await serving
        return answers[0], answers[1]

    answer, nothing = asyncio.run(asyncio.wait_for(serve_and_end(), PATIENCE_S))
    assert b"200 OK" in answer
    assert b"connection: close" in answer.lower()
    assert nothing == b""
