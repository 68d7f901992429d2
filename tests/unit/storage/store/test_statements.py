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

-- name: two
-- rows: a bigint,
-- rows: b text
-- Writes two.
INSERT INTO t (b, a) {values :b, COALESCE((SELECT u.a FROM u WHERE u.b = :b), :a)};

-- name: three (sqlite)
-- Differs.
-- differs: for a test
SELECT 1;

-- name: three (postgresql)
SELECT 2;
"""
BATCH = """\
-- name: batch
-- rows: a bigint, b text
"""
ROWS = "unnest(%(a)s::bigint[], %(b)s::text[]) AS r(a, b)"


def test_a_statement_for_both_takes_each_drivers_parameters() -> None:
    sqlite, postgresql = (parse_statements(TEXT, "noun", dialect)[0] for dialect in (SQLITE, POSTGRESQL))
    assert sqlite.name == postgresql.name == "noun.one"
    assert sqlite.text == "SELECT a, b::text FROM t WHERE a = :a AND b LIKE 'x%' AND a > :a"
    assert postgresql.text == "SELECT a, b::text FROM t WHERE a = %(a)s AND b LIKE 'x%%' AND a > %(a)s"


def test_a_batch_is_numbered_on_sqlite_and_a_table_of_arrays_on_postgresql() -> None:
    sqlite, postgresql = (parse_statements(TEXT, "noun", dialect)[1] for dialect in (SQLITE, POSTGRESQL))
    assert sqlite.columns == postgresql.columns == ("a", "b")
    assert sqlite.text == "INSERT INTO t (b, a) VALUES (?2, COALESCE((SELECT u.a FROM u WHERE u.b = ?2), ?1))"
    assert postgresql.text == (
        f"INSERT INTO t (b, a) SELECT r.b, COALESCE((SELECT u.a FROM u WHERE u.b = r.b), r.a) FROM {ROWS}"
    )


def test_each_database_takes_its_own_form_of_a_statement_that_stands_twice() -> None:
    assert [parse_statements(TEXT, "noun", dialect)[2].text for dialect in (SQLITE, POSTGRESQL)] == [
        "SELECT 1",
        "SELECT 2",
    ]


@pytest.mark.parametrize(
    ("written", "sqlite", "postgresql"),
    [
        (
            "WHERE t.a {in :keys bigint} AND b",
            "WHERE t.a IN (SELECT value FROM json_each(:keys)) AND b",
            "WHERE t.a = ANY(%(keys)s::bigint[]) AND b",
        ),
        ("WHERE {typed :names text[]} IS NULL", "WHERE :names IS NULL", "WHERE %(names)s::text[] IS NULL"),
        ("WHERE {typed :all boolean} OR b", "WHERE :all OR b", "WHERE %(all)s::boolean OR b"),
        (
            "WITH w AS ({tuples :keys a bigint, b text}) SELECT 1",
            "WITH w AS (SELECT json_extract(value, '$[0]') AS a, json_extract(value, '$[1]') AS b FROM json_each(:keys)) SELECT 1",
            "WITH w AS (SELECT (value->>0)::bigint AS a, value->>1 AS b FROM jsonb_array_elements(%(keys)s::jsonb)) SELECT 1",
        ),
        ("SELECT {json h.body name}", "SELECT json_extract(h.body, '$.name')", "SELECT (h.body::json->>'name')"),
        (
            "SELECT {json h.body user.name}",
            "SELECT json_extract(h.body, '$.user.name')",
            "SELECT (h.body::json->'user'->>'name')",
        ),
        ("SELECT a FROM t {lock FOR SHARE};", "SELECT a FROM t", "SELECT a FROM t FOR SHARE"),
        (
            "SELECT a FROM t {lock FOR SHARE} ON CONFLICT DO NOTHING",
            "SELECT a FROM t ON CONFLICT DO NOTHING",
            "SELECT a FROM t FOR SHARE ON CONFLICT DO NOTHING",
        ),
        ("FROM t {cross} JOIN u", "FROM t CROSS JOIN u", "FROM t JOIN u"),
        (
            "SELECT a {keys} FROM t {joins} {order}",
            "SELECT a {keys} FROM t {joins} {order}",
            "SELECT a {keys} FROM t {joins} {order}",
        ),
        ("LIKE 'x%' {lock FOR SHARE}", "LIKE 'x%'", "LIKE 'x%%' FOR SHARE"),
    ],
)
def test_a_marker_becomes_what_each_database_needs(written: str, sqlite: str, postgresql: str) -> None:
    assert [parse_statements(f"-- name: it\n{written}", "noun", each)[0].text for each in (SQLITE, POSTGRESQL)] == [
        sqlite,
        postgresql,
    ]


@pytest.mark.parametrize(
    ("written", "sqlite", "postgresql"),
    [
        (
            "DELETE FROM t {using rows} WHERE t.a = :a",
            "DELETE FROM t WHERE t.a = ?1",
            f"DELETE FROM t USING {ROWS} WHERE t.a = r.a",
        ),
        (
            "UPDATE t SET b = :b {from rows} WHERE t.a = :a",
            "UPDATE t SET b = ?2 WHERE t.a = ?1",
            f"UPDATE t SET b = r.b FROM {ROWS} WHERE t.a = r.a",
        ),
        (
            "INSERT INTO t (a, b) SELECT :a, u.b FROM {rows,} u WHERE u.a = :a",
            "INSERT INTO t (a, b) SELECT ?1, u.b FROM u WHERE u.a = ?1",
            f"INSERT INTO t (a, b) SELECT r.a, u.b FROM {ROWS}, u WHERE u.a = r.a",
        ),
    ],
)
def test_the_rows_of_a_batch_stand_where_their_marker_says(written: str, sqlite: str, postgresql: str) -> None:
    assert [parse_statements(BATCH + written, "noun", each)[0].text for each in (SQLITE, POSTGRESQL)] == [
        sqlite,
        postgresql,
    ]


@pytest.mark.parametrize(
    "written",
    [
        "{unknown}",
        "{in :keys}",
        "{in keys bigint}",
        "{json body}",
        "{typed :a}",
        "{lock}",
        "{cross JOIN}",
        "{tuples :keys a}",
    ],
)
def test_a_marker_that_does_not_exist_or_lacks_its_arguments_is_refused(written: str) -> None:
    for dialect in (SQLITE, POSTGRESQL):
        with pytest.raises(ValueError, match="is not a marker"):
            parse_statements(f"-- name: it\nSELECT {written}", "noun", dialect)


def test_the_fields_of_a_listing_have_markers_too() -> None:
    text = "-- name: it\n-- field: name {json h.body name}\nSELECT 1 {keys}"
    sqlite, postgresql = (parse_statements(text, "noun", each)[0].fields["name"] for each in (SQLITE, POSTGRESQL))
    assert sqlite.expression == "json_extract(h.body, '$.name')"
    assert postgresql.expression == "(h.body::json->>'name')"


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
            assert set(re.findall(r"(?<!:):([a-z_][a-z0-9_]*)", one.text)) == set(
                re.findall(r"%\((\w+)\)s", other.text)
            ), name


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_statement_has_a_sentence_and_one_that_stands_twice_a_reason(source: resources.abc.Traversable) -> None:
    blocks = re.split(r"^-- name: ", source.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for block, following in zip(blocks, [*blocks[1:], ""], strict=True):
        head, *lines = block.splitlines()
        comment = " ".join(
            line[3:]
            for line in lines
            if line.startswith("-- ")
            and not re.match(r"-- (rows|fields|(nullable )?field|equal|members|part|join|differs):", line)
        )
        reasons = [line for line in lines if line.startswith("-- differs:")]
        if head.endswith(" (postgresql)"):
            assert not reasons, f"{head}: the reason belongs to the form for SQLite"
            continue
        assert comment.endswith("."), head
        if head.endswith(" (sqlite)"):
            assert following.startswith(head.replace("sqlite", "postgresql")), f"{head}: its other form does not follow"
            assert len(reasons) == 1, f"{head} stands twice: a line `-- differs: reason` says why no marker will do"
            assert re.fullmatch(r"-- differs: \S.*[^.]", reasons[0]), head
        else:
            assert not reasons, f"{head} is the same for both databases"


def test_lists_are_written_as_markers_also_in_statements_that_stand_twice() -> None:
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        assert not re.search(r"IN \(SELECT value FROM json_each\(:\w+\)\)|= ANY\(:\w+::\w+\[\]\)", text), source.name
