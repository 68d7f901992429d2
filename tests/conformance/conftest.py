"""Every store test runs on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.storeworld import World, check_newest_runs
from tests.databases import BOTH, empty_database, new_database
from tests.keys import CIPHER

from gnomon.storage.store import Database, open_database


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without a schema."""
    with empty_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a new database."""
    with new_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    """A new database."""
    database = open_database(url, synchronous="OFF", cipher=CIPHER)
    yield database
    database.close()


@pytest.fixture
def world(db: Database) -> World:
    """A new database with a scheduler that owns every group."""
    return World(db)


@pytest.fixture
def kept_newest_runs(world: World) -> Iterator[None]:
    """For tests that create or delete runs: afterwards the store knows the newest run of each DAG."""
    yield
    check_newest_runs(world.db)
