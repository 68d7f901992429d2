"""Senders that are slow, or send nothing, lose their connection; others keep it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.api.served import Client, served

from gnomon.api import http_protocol
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.clock import VirtualClock
from gnomon.config import load_config

WHOLE = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", 0.2)
    with served(ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))) as made:
        yield made


def _read_to_end(connection: socket.socket) -> bytes:
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


@pytest.mark.parametrize("sent", [b"", WHOLE[:20], b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"])
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


@pytest.mark.parametrize("sent", [
    b"GET /" + b"x" * 80_000, b"GET /health HTTP/1.1\r\nHost: here\r\nCookie: " + b"x" * 80_000,
    b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 12_000,
    b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 100_000,
    b"POST /api/v2/pools HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nCookie: " + b"x" * 65_536 + b"\r\n\r\n{}",
], ids=["request line", "one header", "many headers", "trailers", "complete headers"])  # fmt: skip
def test_headers_without_end_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection, suppress(ConnectionError):
        connection.sendall(sent)
        assert b" 431 " in _read_to_end(connection)


def test_small_pieces_of_a_long_body_are_no_long_headers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"POST /api/v2/pools HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"1\r\nx\r\n" * 30_000 + b"0\r\n\r\n")
        assert b" 422 " in _read_to_end(connection)


def test_pipelined_requests_are_answered_in_order_and_too_many_end_the_connection(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    unknown = b"GET /execution/nothing HTTP/1.1\r\nHost: here\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
        connection.sendall(WHOLE + unknown + b"\r\n" + WHOLE + unknown + b"Connection: close\r\n\r\n")
        answers = [part[:3] for part in _read_to_end(connection).split(b"HTTP/1.1 ")[1:]]
    assert answers == [b"200", b"404", b"200", b"404"]
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection, suppress(ConnectionError):
        connection.sendall(WHOLE * 1_000)
        assert b" 400 " in _read_to_end(connection)


def test_a_full_server_closes_the_oldest_connection_that_waits_and_answers_the_new_one(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "CONNECTIONS_MAX", 2)
    monkeypatch.setattr(http_protocol, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S)) for _ in range(2)]
        assert client.request("GET", "/health").status == 200
        with suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""
        silent[1].sendall(WHOLE)
        assert silent[1].recv(12) == b"HTTP/1.1 200"
