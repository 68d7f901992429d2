"""Heartbeats of an api-server: stored while it runs, with its figures, and taken back at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.api.metrics.server_figures import ServerFigures
from gnomon.api.server_heartbeat import ApiServerHeartbeat
from gnomon.ground.clock import SystemClock
from gnomon.model.errors import ResourceUnavailable
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import leases, service_figures


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    yield database
    database.close()


def test_a_heartbeat_is_stored_with_figures_and_removed_at_the_end(db: Database) -> None:
    figures = ServerFigures(SystemClock(), lambda: db)
    heartbeat = ApiServerHeartbeat(figures, lambda: db)
    heartbeat.beat()
    heartbeat.beat()
    with db.read() as tx:
        assert [(row.server_id, row.is_alive(tx.lease_now())) for row in leases.list_api_servers(tx)] == [
            (figures.process_id, True)
        ]
        assert [(row.process_id, row.service) for row in service_figures.list_figures(tx)] == [
            (figures.process_id, "api-server")
        ]
    heartbeat.close()
    figures.remove(db)
    with db.read() as tx:
        assert leases.list_api_servers(tx) == [] == service_figures.list_figures(tx)


def test_a_database_that_is_away_ends_no_api_server(db: Database) -> None:
    is_away = [True]

    def find() -> Database:
        if is_away[0]:
            raise ResourceUnavailable("it does not answer")
        return db

    heartbeat = ApiServerHeartbeat(ServerFigures(SystemClock(), find), find)
    heartbeat.beat()
    heartbeat.close()
    is_away[0] = False
    heartbeat.beat()
    with db.read() as tx:
        assert len(leases.list_api_servers(tx)) == 1


def test_an_error_that_nobody_expects_is_logged_and_ends_no_heartbeats(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> Database:
        raise RuntimeError("of the driver")

    with caplog.at_level("ERROR"):
        ApiServerHeartbeat(ServerFigures(SystemClock(), lambda: db), fail).beat()
    assert [record.getMessage() for record in caplog.records] == ["heartbeat_failed"]
