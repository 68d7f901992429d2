"""Clients that read slowly, and clients that are many: the memory and the descriptors of the api-server are bounded, and others are answered."""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.patience import PATIENCE_S
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api import http_protocol
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.attempts import build_attempt_log_path

LOG = "/api/v2/dags/a/dagRuns/r/taskInstances/only/logs/1"
LOG_BYTES = 1_000_000_000
READERS = 20
MEMORY_MAX = 150_000_000
"""What READERS slow readers may add: for each a part of the log, its records, and the buffers of the connection. All they ask for are 20 GB."""
CONNECTIONS = 10_000
LINE = b"2026-03-01T09:00:00.250000Z INFO     " + b"x" * 80 + b"\n"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The API over a run whose task has a log of 1 GB; only its beginning takes space on the disk."""
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path / "home"), clock, clock.advance)
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    deployment.add(spec_of("a"))
    deployment.start()
    context = ApiContext(
        home.cfg,
        clock,
        OpenAccess(),
        lambda: HealthSnapshot(NOW, ()),
        lambda seconds: home.sleep(seconds),
        deployment.db,
    )
    with served(context) as client:
        client.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
        deployment.move(20)
        log = home.cfg.logs_folder / build_attempt_log_path("a", "r", "only", -1, 1)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as file:
            file.write(LINE * 200_000)
            file.truncate(LOG_BYTES)
        yield client
    deployment.close()


def _read_memory() -> int:
    """The resident bytes of this process, in which the server runs."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _start_reader(port: int) -> socket.socket:
    """A client that asks for the whole log, and has read the beginning of the answer."""
    reader = socket.socket()
    reader.settimeout(PATIENCE_S)
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    reader.connect(("127.0.0.1", port))
    reader.sendall(f"GET {LOG} HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n".encode())
    assert reader.recv(4096).startswith(b"HTTP/1.1 200 OK")
    return reader


def test_slow_readers_of_a_log_of_1_gb_take_little_memory(client: Client) -> None:
    before = most = _read_memory()
    with ExitStack() as opened:
        readers = [opened.enter_context(_start_reader(client.port)) for _ in range(READERS)]
        for _ in range(40):
            for reader in readers:
                assert reader.recv(16_384)
            assert client.request("GET", "/api/v2/version").status == 200
            most = max(most, _read_memory())
    assert most - before < MEMORY_MAX, f"{(most - before) / 1e6:.0f} MB"


def test_a_whole_log_arrives_line_by_line(client: Client) -> None:
    with _start_reader(client.port) as reader:
        received = b""
        while len(received) < 10_000_000:
            received += reader.recv(1_000_000)
    assert received.count(b'"level": "info"}\n') > 50_000


@contextmanager
def _many_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < CONNECTIONS + http_protocol.CONNECTIONS_MAX + 1000:
        pytest.skip(
            f"a process may have {hard} descriptors here; the test needs {CONNECTIONS + http_protocol.CONNECTIONS_MAX + 1000}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("sent", [b"", b"GET /api/v2/version HTTP/1.1\r\nHost: "])
def test_ten_thousand_connections_do_not_keep_others_from_their_answers(client: Client, sent: bytes) -> None:
    slowest, before = 0.0, _read_memory()
    with _many_descriptors(), ExitStack() as opened:
        for number in range(CONNECTIONS):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S))
            connection.sendall(sent)
            if number % 500 == 499:
                started = time.monotonic()
                assert client.request("GET", "/api/v2/version").status == 200
                slowest = max(slowest, time.monotonic() - started)
        descriptors = len(os.listdir("/proc/self/fd"))
        assert descriptors <= CONNECTIONS + http_protocol.CONNECTIONS_MAX + 200, (
            "those of the clients, and of the connections that the server keeps"
        )
        assert _read_memory() - before < 400_000_000
    assert slowest < 5.0, f"{slowest:.1f} s"
    assert client.request("GET", "/api/v2/version").status == 200
