"""Errors of DAG bundles stand beside those of DAG files until a refresh succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.ground.clock import SystemClock
from gnomon.ground.wakeups import Notifier
from gnomon.services.dagfiles.bundle_errors import BundleErrors
from gnomon.services.dagfiles.database_file_registry import DatabaseFileRegistry
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.parsed_files import dag_files

FOLDERS = {"team": "/bundles/team", "other": "/bundles/other"}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url)
    yield database
    database.close()


@pytest.fixture
def registry(db: Database, tmp_path: Path) -> DatabaseFileRegistry:
    return DatabaseFileRegistry(db, SystemClock(), Notifier(tmp_path / "run"), paused_by_default=False)


def shown(db: Database) -> list[tuple[str | None, str, str, str]]:
    with db.read() as tx:
        return [(row.bundle_name, row.path, row.kind, row.message) for row in dag_files.list_import_errors(tx)]


def test_the_error_of_a_bundle_is_shown_until_a_refresh_succeeds(db: Database, registry: DatabaseFileRegistry) -> None:
    errors = BundleErrors(registry, FOLDERS)
    errors.record("team", None)
    assert shown(db) == []
    errors.record("team", "cannot be fetched")
    errors.record("other", "has no such branch")
    errors.record("team", "cannot be fetched")
    assert shown(db) == [
        ("other", "/bundles/other", "bundle", "has no such branch"),
        ("team", "/bundles/team", "bundle", "cannot be fetched"),
    ]
    errors.record("team", "has no such branch")
    assert [message for name, _, _, message in shown(db) if name == "team"] == ["has no such branch"]
    errors.record("team", None)
    assert [name for name, *_ in shown(db)] == ["other"]


def test_the_errors_of_an_earlier_process_are_removed_before_files_are_read(
    db: Database, registry: DatabaseFileRegistry
) -> None:
    BundleErrors(registry, FOLDERS).record("team", "cannot be fetched")
    later = BundleErrors(registry, FOLDERS)
    later.forget()
    assert (shown(db), registry.list_files()) == ([], {})
    later.record("team", "cannot be fetched")
    assert len(shown(db)) == 1
