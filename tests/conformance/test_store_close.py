"""A database that is closed while a thread still reads it, as at the end of an api-server: it keeps no connection."""

from __future__ import annotations

import threading

import pytest
from tests.patience import PATIENCE_S

from gnomon.storage.store import open_database
from gnomon.storage.store.drivers import postgres


def test_a_connection_in_use_is_closed_when_its_transaction_ends(url: str) -> None:
    database = open_database(url)
    with database.read() as tx:
        database.close()
        assert tx.one("schema.revision") is not None
    assert not tx._connection.is_usable


def test_so_is_one_of_another_thread(url: str) -> None:
    database = open_database(url)
    is_closed, connections = threading.Event(), []

    def read() -> None:
        with database.autocommit() as tx:
            connections.append(tx._connection)
            reading.set()
            is_closed.wait(PATIENCE_S)

    reading = threading.Event()
    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(PATIENCE_S)
    database.close()
    is_closed.set()
    thread.join(PATIENCE_S)
    assert not connections[0].is_usable


def test_a_listener_that_connects_while_the_database_is_closed_is_closed_too(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(url)
    listeners: list[ClosingListener] = []

    class ClosingListener(postgres.NotifyListener):
        """Another thread closes the database while this one connects."""

        def __init__(self, url: str) -> None:
            super().__init__(url)
            listeners.append(self)
            database.close()

    monkeypatch.setattr(postgres, "NotifyListener", ClosingListener)
    assert database.notification_fileno() is None
    assert [listener._connection.closed for listener in listeners] == [True] * (database.dialect == "postgresql")
    database.close()
    assert database.notification_fileno() is None and database.poll_notifications() == 0
