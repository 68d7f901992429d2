"""Keys that leave the database are never used again: the table in docs/contributing/api-review.md is complete and says what is so."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.conformance.storeworld import raw
from tests.databases import create_file
from tests.unit.entry.cli.deployment import NOW

from gnomon.model.records import EventRecord
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records.event_log import log_event

PAGE = Path(__file__).parents[2] / "docs" / "contributing" / "api-review.md"
AUTOINCREMENT = "AUTOINCREMENT"


def list_documented() -> dict[str, str]:
    """By table: what keeps its key from being used again."""
    section = PAGE.read_text(encoding="utf-8").split("## Keys that are never used again")[1].split("\n## ")[0]
    return {found[1]: found[2] for found in re.finditer(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", section, re.MULTILINE)}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By table whose key SQLite chooses: the statement that makes it."""
    path = tmp_path_factory.mktemp("schema") / "home" / "gnomon.db"
    create_file(path)
    with closing(sqlite3.connect(path)) as connection:
        made = {
            name: sql
            for name, sql in connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
            if "WITHOUT ROWID" not in sql
        }
        keys = {
            name: [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({name})") if row[5]]
            for name in made
        }
    return {
        name: sql
        for name, sql in made.items()
        if len(keys[name]) == 1 and keys[name][0][1] == "INTEGER" and keys[name][0][0].endswith("_pk")
    }


def test_each_table_whose_key_the_database_chooses_is_in_the_documented_list(tables: dict[str, str]) -> None:
    assert set(list_documented()) == set(tables)


def test_the_list_says_autoincrement_where_it_is_so(tables: dict[str, str]) -> None:
    documented = list_documented()
    assert {name for name, sql in tables.items() if AUTOINCREMENT in sql} == {
        name for name, how in documented.items() if AUTOINCREMENT in how
    }


def test_no_statement_deletes_from_tables_whose_rows_are_never_deleted() -> None:
    from gnomon.storage.store.statements import load_statements

    texts = [statement.text for statement in load_statements("sqlite").values()]
    for table in (name for name, how in list_documented().items() if how == "rows are never deleted"):
        assert not [text for text in texts if re.search(rf"DELETE FROM {table}\b", text)]


def test_the_newest_line_of_the_audit_log_stays_so_that_its_key_does_not_come_again(db: Database) -> None:
    with db.write() as tx:
        for _ in range(3):
            log_event(tx, EventRecord(NOW, "k", by="me", body=""))
    with db.write() as tx:
        before = [key for (key,) in raw(tx, "SELECT event_pk FROM event_log ORDER BY event_pk")]
        assert tx.one("housekeeping.count_expired_events", before=NOW + 1) == (2,)
        assert tx.run("housekeeping.remove_events", before=NOW + 1, limit=10) == 2
        log_event(tx, EventRecord(NOW, "k", by="me", body=""))
    with db.read() as tx:
        after = [key for (key,) in raw(tx, "SELECT event_pk FROM event_log ORDER BY event_pk")]
    assert after[0] == before[-1] and after[1] > before[-1]
