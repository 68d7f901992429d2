"""Senders that are slow, or send nothing, lose their connection; others keep it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.api.served import Client, served

from gnomon.api import request_deadline
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.clock import VirtualClock
from gnomon.config import load_config

WHOLE = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(request_deadline, "REQUEST_TIMEOUT_S", 0.2)
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


def test_a_full_server_closes_the_oldest_connection_that_waits_and_answers_the_new_one(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_deadline, "CONNECTIONS_MAX", 2)
    monkeypatch.setattr(request_deadline, "REQUEST_TIMEOUT_S", PATIENCE_S)
    with ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S)) for _ in range(2)]
        assert client.request("GET", "/health").status == 200
        with suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""
        silent[1].sendall(WHOLE)
        assert silent[1].recv(12) == b"HTTP/1.1 200"
