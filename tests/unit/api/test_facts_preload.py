"""The facts of all DAGs are in memory after the start of an api-server, also when the database is away at first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.storeworld import parsed, spec
from tests.databases import create_schema
from tests.patience import PATIENCE_S

from gnomon.api import facts_preload
from gnomon.api.facts_preload import FactsPreload
from gnomon.model.errors import ResourceUnavailable
from gnomon.queries.report.listings import dag_facts
from gnomon.queries.report.listings.dag_facts import VersionFactsCache
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files

DAGS = 2 * facts_preload.BATCH + 1


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    with database.write() as tx:
        dag_files.record_parsed_files(
            tx,
            [parsed(f"/dags/{number}.py", spec(f"d{number}")) for number in range(DAGS)],
            at=0,
            paused_by_default=False,
        )
    yield database
    database.close()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many specs each read had."""
    counts: list[int] = []
    load_specs = group_state.load_specs

    def count(tx: Any, version_pks: Any) -> Any:
        found = load_specs(tx, version_pks)
        counts.append(len(found))
        return found

    monkeypatch.setattr(dag_facts.group_state, "load_specs", count)
    return counts


def test_the_facts_are_read_in_batches_and_a_request_reads_no_more(db: Database, decoded: list[int]) -> None:
    cache = VersionFactsCache()
    FactsPreload(cache, lambda: db).load()
    assert max(decoded) <= facts_preload.BATCH
    assert sum(decoded) == DAGS
    decoded.clear()
    with db.read() as tx:
        assert len(cache.find_all(tx).by_dag) == DAGS
    assert sum(decoded) == 0


def test_a_database_that_is_away_is_asked_again(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_preload, "BEGIN_S", 0.0)
    monkeypatch.setattr(facts_preload, "RETRY_S", 0.0)
    asked: list[int] = []

    def find() -> Database:
        asked.append(1)
        if len(asked) < 3:
            raise ResourceUnavailable("it does not answer")
        return db

    cache = VersionFactsCache()
    preload = FactsPreload(cache, find)
    preload.start()
    preload._thread.join(PATIENCE_S)
    assert not preload._thread.is_alive()
    assert cache._all is not None
    assert len(cache._all[2].by_dag) == DAGS


@pytest.mark.parametrize("error", [ResourceUnavailable("it does not answer"), ValueError("a row that cannot be read")])
def test_what_cannot_be_read_is_left_to_the_first_request(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_preload, "BEGIN_S", 0.0)
    monkeypatch.setattr(facts_preload, "RETRY_S", 0.0)
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)

    def find() -> Database:
        raise error

    preload = FactsPreload(VersionFactsCache(), find)
    preload.start()
    preload._thread.join(PATIENCE_S)
    assert not preload._thread.is_alive()
    assert faults == []


def test_it_ends_when_the_server_stops() -> None:
    def find() -> Database:
        raise AssertionError("it was stopped before")

    preload = FactsPreload(VersionFactsCache(), find)
    preload._stopped.set()
    preload.start()
    preload.stop(PATIENCE_S)
    assert not preload._thread.is_alive()
