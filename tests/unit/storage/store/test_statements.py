"""The files of named statements, and their parser."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from gnomon.storage.store.address import POSTGRESQL, SQLITE
from gnomon.storage.store.statements import load_statements, parse_statements

SOURCES = sorted(
    (
        entry
        for entry in resources.files("gnomon.storage.store").joinpath("sql").iterdir()
        if entry.name.endswith(".sql")
    ),
    key=lambda entry: entry.name,
)
TEXT = """\
-- name: one
-- Reads one. With a word like :this in the comment.
SELECT a, b::text FROM t
-- a remark
WHERE a = :a AND b LIKE 'x%' AND a > :a;

-- name: two (sqlite)
-- rows: a bigint, b text
-- Writes two, a row at a time.
INSERT INTO t (b, a) VALUES (:b, :a);

-- name: two (postgresql)
-- rows: a bigint,
-- rows: b text
-- Writes two at once.
INSERT INTO t (b, a) SELECT b, a FROM :rows;
"""


def test_a_statement_for_both_takes_each_drivers_parameters() -> None:
    sqlite, postgresql = (parse_statements(TEXT, "noun", dialect)[0] for dialect in (SQLITE, POSTGRESQL))
    assert sqlite.name == postgresql.name == "noun.one"
    assert sqlite.text == "SELECT a, b::text FROM t WHERE a = :a AND b LIKE 'x%' AND a > :a"
    assert postgresql.text == "SELECT a, b::text FROM t WHERE a = %(a)s AND b LIKE 'x%%' AND a > %(a)s"


def test_a_batch_is_numbered_on_sqlite_and_a_table_of_arrays_on_postgresql() -> None:
    sqlite, postgresql = (parse_statements(TEXT, "noun", dialect)[1] for dialect in (SQLITE, POSTGRESQL))
    assert sqlite.columns == postgresql.columns == ("a", "b")
    assert sqlite.text == "INSERT INTO t (b, a) VALUES (?2, ?1)"
    assert postgresql.text == (
        "INSERT INTO t (b, a) SELECT b, a FROM unnest(%(a)s::bigint[], %(b)s::text[]) AS r(a, b)"
    )


def test_both_databases_know_the_same_names_with_the_same_columns() -> None:
    sqlite, postgresql = load_statements(SQLITE), load_statements(POSTGRESQL)
    assert sqlite.keys() == postgresql.keys()
    assert {name: one.columns for name, one in sqlite.items()} == {
        name: one.columns for name, one in postgresql.items()
    }


def test_both_forms_of_a_statement_take_the_same_parameters() -> None:
    for name, one in load_statements(SQLITE).items():
        if not one.columns:
            other = load_statements(POSTGRESQL)[name]
            assert set(re.findall(r"(?<!:):([a-z_]+)", one.text)) == set(re.findall(r"%\((\w+)\)s", other.text)), name


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_statement_has_a_sentence_and_every_difference_its_reason(source: resources.abc.Traversable) -> None:
    blocks = re.split(r"^-- name: ", source.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for block in blocks:
        head, *lines = block.splitlines()
        comment = " ".join(
            line[3:]
            for line in lines
            if line.startswith("-- ") and not re.match(r"-- (rows|fields|(nullable )?field|equal|part|join):", line)
        )
        assert comment.endswith("."), head
        if "(sqlite)" in head:
            assert re.search(r"here|SQLite|alone", comment), f"{head} differs and does not say why"
