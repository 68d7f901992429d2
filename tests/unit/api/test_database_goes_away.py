"""A database that goes away under a running api-server: every request is answered 503 with a sentence, and all is well again when it is back."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.databases import create_schema, new_database
from tests.patience import PATIENCE_S
from tests.postgres import OwnServer, create_server
from tests.unit.api.served import Client, Reply, served

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.storage.store.drivers import sqlite
from gnomon.storage.store.drivers.write_lock import WriteLock

READS = (
    "/api/v2/dags",
    "/api/v2/pools",
    "/api/v2/dags/~/dagRuns",
    "/api/v2/eventLogs",
    "/api/gnomon/v1/services",
    "/api/gnomon/v1/operations/pools.list",
)
ANSWER_MAX_S = 36.0
"""Three times the limit of a statement and a little more: a machine that the tests share with others may take so many times as long."""


@contextmanager
def api_on(url: str, home: Path) -> Iterator[Client]:
    """The API with the real clock over this database."""
    cfg = load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}, home)
    context = ApiContext(cfg, SystemClock(), OpenAccess(), lambda: HealthSnapshot(0, ()))
    with served(context) as client:
        yield client
    context.close()


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    found, reason = create_server()
    if found is None:
        pytest.skip(f"no PostgreSQL of our own: {reason}")
    create_schema(found.url)
    yield found
    found.remove()


def request_all(api: Client, number: int) -> list[Reply]:
    """Reads and a change at the same time, as clients send them; each answer within its time."""
    replies: list[Reply] = []

    def ask(method: str, path: str, body: object) -> None:
        started = time.monotonic()
        replies.append(api.request(method, path, body))
        assert time.monotonic() - started < ANSWER_MAX_S, path

    requests = [
        *(("GET", path, None) for path in READS),
        ("POST", "/api/v2/pools", {"name": f"pool_{number}", "slots": 1}),
    ]
    threads = [threading.Thread(target=ask, args=request) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(replies) == len(requests)
    return replies


def assert_away(replies: list[Reply], *sentences: str) -> None:
    for reply in replies:
        assert (reply.status, reply.kind, reply.headers.get("Retry-After", reply.headers.get("retry-after"))) == (
            503,
            "application/json",
            "5",
        ), reply
        assert any(sentence in reply.json()["detail"] for sentence in sentences), reply


def assert_back(api: Client, number: int) -> None:
    """Every request is answered at once, and the pools are those whose creation was answered with 201."""
    assert [reply.status for reply in request_all(api, number) if reply.status not in (200, 201)] == []
    names = {pool["name"] for pool in api.get("/pools")["pools"]}
    assert f"pool_{number}" in names
    assert f"pool_{number - 1}" not in names


# ---- PostgreSQL ------------------------------------------------------------------------------------------------------
@pytest.mark.postgres
def test_a_server_that_is_stopped_and_started_again(server: OwnServer, tmp_path: Path) -> None:
    with api_on(server.url, tmp_path) as api, api.stream() as stream:
        assert stream.next()[0] == "ready"
        assert_back(api, 10)
        server.stop()
        for _ in range(2):
            assert_away(request_all(api, 11), "PostgreSQL", "connection")
        server.start()
        assert_back(api, 12)
        while "pool_12" not in str(stream.next()):
            pass


@pytest.mark.postgres
def test_sessions_that_the_server_ends_between_requests_are_not_noticed(server: OwnServer, tmp_path: Path) -> None:
    with api_on(server.url, tmp_path) as api:
        for number in (20, 22):
            assert_back(api, number)
            with psycopg.connect(server.url, autocommit=True) as killer:
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gnomon'"
                )
                while killer.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'gnomon'").fetchone():
                    pass


@pytest.mark.postgres
def test_a_session_that_ends_inside_a_request_is_a_503_and_stores_nothing(server: OwnServer, tmp_path: Path) -> None:
    with (
        psycopg.connect(server.url) as holder,
        psycopg.connect(server.url, autocommit=True) as killer,
        api_on(server.url, tmp_path) as api,
    ):
        assert_back(api, 30)
        holder.execute("LOCK TABLE pool IN ACCESS EXCLUSIVE MODE")
        found: list[Reply] = []
        thread = threading.Thread(
            target=lambda: found.append(api.request("POST", "/api/v2/pools", {"name": "pool_31", "slots": 1}))
        )
        thread.start()
        waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gnomon' AND wait_event_type = 'Lock'"
        while not killer.execute(waiting).fetchone():
            pass
        thread.join(PATIENCE_S)
        assert_away(found, "PostgreSQL could not execute the statement now", "connection to PostgreSQL ended")
        holder.rollback()
        assert_back(api, 32)


@pytest.mark.postgres
def test_a_table_that_is_locked_for_long_is_a_503(server: OwnServer, tmp_path: Path) -> None:
    with psycopg.connect(server.url) as holder, api_on(server.url, tmp_path) as api:
        assert_back(api, 40)
        holder.execute("LOCK TABLE pool IN ACCESS EXCLUSIVE MODE")
        started = time.monotonic()
        assert_away([api.request("GET", "/api/v2/pools")], "lock")
        assert time.monotonic() - started < ANSWER_MAX_S
        assert api.request("GET", "/api/v2/dags").status == 200
        holder.rollback()
        assert_back(api, 42)


# ---- SQLite ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    with new_database("sqlite", tmp_path) as url:
        yield Path(url.removeprefix("sqlite:///"))


def test_a_file_that_is_moved_away_and_back(path: Path, tmp_path: Path) -> None:
    with api_on(f"sqlite:///{path}", tmp_path / "home") as api:
        assert_back(api, 10)
        moved = [(one, one.with_name(f"moved-{one.name}")) for one in path.parent.glob(f"{path.name}*")]
        for one, other in moved:
            one.rename(other)
        assert_away(request_all(api, 11), "is not there: move it back")
        assert not path.exists()
        for one, other in moved:
            other.rename(one)
        assert_back(api, 12)


@pytest.mark.parametrize("is_foreign", [True, False])
def test_a_file_that_is_locked_for_long(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_foreign: bool
) -> None:
    """By another program, or by a process of Gnomon that hangs: changes are refused in time, reads go on."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.2)
    monkeypatch.setattr("gnomon.api.context.STATEMENT_LIMIT_S", 0.3)
    with api_on(f"sqlite:///{path}", tmp_path / "home") as api:
        assert_back(api, 20)
        release = _lock_as_stranger(path) if is_foreign else _lock_as_gnomon(path)
        replies = request_all(api, 21)
        assert sorted(reply.status for reply in replies) == [*[200] * len(READS), 503]
        assert_away(
            [reply for reply in replies if reply.status == 503], "without Gnomon's write lock", "for the write lock of"
        )
        release()
        assert_back(api, 22)


def _lock_as_stranger(path: Path) -> Callable[[], None]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection.close


def _lock_as_gnomon(path: Path) -> Callable[[], None]:
    lock = WriteLock(path, SystemClock())
    lock.acquire()
    return lock.close
