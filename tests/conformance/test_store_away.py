"""A database that goes away: what the caller is told, and what is stored."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from tests.conformance.storeworld import raw
from tests.databases import new_database
from tests.keys import CIPHER
from tests.patience import PATIENCE_S

from gnomon.storage.store import CommitUncertain, Database, DatabaseUnavailable, open_database
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.admin import variables

pytestmark = pytest.mark.postgres
_COMMIT = b"COMMIT"


@pytest.fixture
def url() -> Iterator[str]:
    with new_database("postgresql") as address:
        yield address


class Proxy:
    """Between a client and PostgreSQL. Once `armed`, the connection ends at the next COMMIT: before it, or before its answer."""

    def __init__(self, url: str, cut: str) -> None:
        self.cut = cut
        self.armed = False
        info = psycopg.conninfo.conninfo_to_dict(parse_address(url).target)
        self._target = (str(info.get("host") or "localhost"), int(info.get("port") or 5432))
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        info.update(
            host="127.0.0.1", port=str(port), sslmode="disable", gssencmode="disable", user=info.get("user") or "root"
        )
        options = str(info.pop("options"))
        rest = "&".join(f"{key}={value}" for key, value in info.items() if key != "dbname")
        self.url = f"postgresql:///{info['dbname']}?{rest}&options={options}"
        self._cutting = False
        self._sockets = [self._listening]
        self._threads: list[threading.Thread] = []
        self._start(self._serve)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = self._connect()
            self._sockets += [client, server]
            self._start(self._forward, client, server)
            self._start(self._answer, server, client)

    def _start(self, target: Callable[..., None], *args: socket.socket) -> None:
        self._threads.append(threading.Thread(target=target, args=args, daemon=True))
        self._threads[-1].start()

    def _connect(self) -> socket.socket:
        host, port = self._target
        if host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{host}/.s.PGSQL.{port}")
            return server
        return socket.create_connection((host, port))

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while data := _receive(client):
            if self.armed and _COMMIT in data:
                self._cutting = True
                if self.cut == "before":
                    break
            _send(server, data)
        _end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        while data := _receive(server):
            if self.armed and self._cutting:
                break
            _send(client, data)
        _end(client, server)

    def close(self) -> None:
        _end(*self._sockets)
        for thread in self._threads:
            thread.join(timeout=PATIENCE_S)
        for one in self._sockets:
            one.close()


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


def _send(target: socket.socket, data: bytes) -> None:
    """What is sent to an end that is gone is lost, as on any wire."""
    try:
        target.sendall(data)
    except OSError:
        pass


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


@contextmanager
def through(url: str, cut: str) -> Iterator[tuple[Proxy, Database]]:
    proxy = Proxy(url, cut)
    db = open_database(proxy.url, cipher=CIPHER)
    yield proxy, db
    db.close()
    proxy.close()


@pytest.mark.parametrize(("cut", "stored"), [("before", None), ("after", "1")])
def test_a_connection_that_ends_in_commit_leaves_the_outcome_uncertain(url: str, cut: str, stored: str | None) -> None:
    """Window 40: the caller cannot know, and must read again. Either may be the truth."""
    with through(url, cut) as (proxy, db):
        with pytest.raises(CommitUncertain), db.write() as tx:
            variables.set_variable(tx, "k", "1")
            proxy.armed = True
        proxy.armed = False
        with db.read() as tx:
            assert variables.get_variable(tx, "k") == stored


def test_a_call_in_which_the_connection_ends_fails_and_the_next_one_connects_again(url: str) -> None:
    db, other = open_database(url, cipher=CIPHER), open_database(url, cipher=CIPHER)
    with pytest.raises(DatabaseUnavailable), db.write() as tx:
        pid = raw(tx, "SELECT pg_backend_pid()")[0][0]
        with other.write() as killing:
            raw(killing, f"SELECT pg_terminate_backend({pid})")
        variables.set_variable(tx, "k", "1")
    with db.write() as tx:
        assert variables.get_variable(tx, "k") is None
        variables.set_variable(tx, "k", "2")
    with other.read() as tx:
        assert variables.get_variable(tx, "k") == "2"
    db.close()
    other.close()


def test_sessions_that_end_between_transactions_cost_no_call(url: str) -> None:
    db, other = open_database(url, cipher=CIPHER), open_database(url, cipher=CIPHER)
    with db.read() as tx:
        pid = raw(tx, "SELECT pg_backend_pid()")[0][0]
    with other.write() as tx:
        raw(tx, f"SELECT pg_terminate_backend({pid})")
    ends_at = time.monotonic() + PATIENCE_S
    while _has_session(
        other, pid
    ):  # each time in a transaction of its own: within one, PostgreSQL shows the sessions of its first look
        assert time.monotonic() < ends_at, "the session does not end"
    with db.read() as tx:
        assert variables.get_variable(tx, "k") is None
    db.close()
    other.close()


def _has_session(db: Database, pid: int) -> bool:
    with db.read() as tx:
        return bool(raw(tx, f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"))


def test_a_listener_whose_connection_ends_says_so_and_listens_again(url: str) -> None:
    db, other = open_database(url, cipher=CIPHER), open_database(url, cipher=CIPHER)
    db.notification_fileno()
    with other.write() as tx:
        raw(
            tx,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN gnomon'",
        )
    ends_at = time.monotonic() + PATIENCE_S
    with pytest.raises(DatabaseUnavailable):
        while time.monotonic() < ends_at:  # the server ends the session a moment later
            db.poll_notifications()
    assert db.poll_notifications() == 0
    assert db.notification_fileno() is not None
    db.close()
    other.close()


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    with pytest.raises(DatabaseUnavailable, match="does not answer") as refused:
        open_database("postgresql://me:secret@127.0.0.1:1/gnomon")
    assert "secret" not in str(refused.value)
