"""What a database says about its own schema: whole, to compare two of one dialect, and in one form, to compare the dialects."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gnomon.storage.store.migrations.migration_targets import PostgresTarget, SqliteTarget

Query = Callable[[str], list[tuple[Any, ...]]]
Schema = dict[str, list[object]]
_TYPES = {
    "INTEGER": "integer",
    "SMALLINT": "integer",
    "bigint": "integer",
    "integer": "integer",
    "smallint": "integer",
    "TEXT": "text",
    "text": "text",
    "VARCHAR(32)": "text",
    "character varying": "text",
    "BOOLEAN": "boolean",
    "boolean": "boolean",
    "FLOAT": "float",
    "REAL": "float",
    "double precision": "float",
    "BLOB": "bytes",
    "bytea": "bytes",
}


def complete_schema(target: SqliteTarget | PostgresTarget) -> Schema:
    """Everything that the database says about each table, in its own words."""
    with target._connection() as connection:

        def query(text: str) -> list[tuple[Any, ...]]:
            return connection.execute(text).fetchall()  # type: ignore[arg-type]

        return {table: _complete(query, target.dialect, table) for table in target.tables()}


def common_schema(target: SqliteTarget | PostgresTarget) -> Schema:
    """Columns, keys, foreign keys, checks and indexes of each table in words that both dialects share."""
    with target._connection() as connection:

        def query(text: str) -> list[tuple[Any, ...]]:
            return connection.execute(text).fetchall()  # type: ignore[arg-type]

        common = _common_sqlite if target.dialect == "sqlite" else _common_postgresql
        return {table: common(query, table) for table in target.tables()}


def row_counts(target: SqliteTarget | PostgresTarget) -> dict[str, int]:
    """The number of rows of each table."""
    with target._connection() as connection:
        return {table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in target.tables()}  # type: ignore[arg-type,index]


def _complete(query: Query, dialect: str, table: str) -> list[object]:
    if dialect == "sqlite":
        return [
            query(f'PRAGMA table_xinfo("{table}")'),
            query(f'PRAGMA foreign_key_list("{table}")'),
            sorted(
                re.sub(r'^CREATE TABLE "(\w+)"', r"CREATE TABLE \1", " ".join(sql.split()))  # quoted after a renaming
                for (sql,) in query(f"SELECT sql FROM sqlite_master WHERE tbl_name = '{table}' AND sql IS NOT NULL")
            ),
        ]
    return [
        query(
            f"SELECT column_name, data_type, is_nullable, regexp_replace(column_default, '\\w+\\.', '') FROM information_schema.columns "
            f"WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY ordinal_position"
        ),
        [
            (name, re.sub(r"[()]", "", text))  # `a AND (b AND c)` is `a AND b AND c` after pg_dump
            for name, text in query(
                f"SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '\"{table}\"'::regclass ORDER BY 1"
            )
        ],
        [
            (name, _without_schema(sql))
            for name, sql in query(
                f"SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = '{table}' ORDER BY 1"
            )
        ],
        query(f"SELECT reloptions FROM pg_class WHERE oid = '\"{table}\"'::regclass"),
    ]


def _common_sqlite(query: Query, table: str) -> list[object]:
    info = query(f'PRAGMA table_info("{table}")')
    key = [name for _, name, *_, place in sorted(info, key=lambda row: row[5]) if place]
    columns = sorted(
        (name, _TYPES[kind], bool(required or place), None if [name] == key else _default(kind, default))
        for _, name, kind, required, default, place in info
    )
    unique, indexes = set(), set()
    for _, index, _, origin, _ in query(f'PRAGMA index_list("{table}")'):
        if origin == "u":
            unique.add(tuple(row[2] for row in query(f'PRAGMA index_info("{index}")')))
        elif origin == "c":
            indexes.add(_index(query(f"SELECT sql FROM sqlite_master WHERE name = '{index}'")[0][0]))
    (sql,) = query(f"SELECT sql FROM sqlite_master WHERE name = '{table}'")[0]
    foreign = {
        (source, other, target, act)
        for _, _, other, source, target, _, act, _ in query(f'PRAGMA foreign_key_list("{table}")')
    }
    return [columns, key, unique, indexes, foreign, set(re.findall(r"CONSTRAINT (\w+) CHECK", sql))]


def _common_postgresql(query: Query, table: str) -> list[object]:
    constraints = query(
        f"SELECT contype::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '\"{table}\"'::regclass"
    )
    of = {kind: [(name, text) for found, name, text in constraints if found == kind] for kind in "pufc"}
    key = _names(of["p"][0][1])
    columns = sorted(
        (name, _TYPES[kind], nullable == "NO", None if [name] == key else _default(kind, default))
        for name, kind, nullable, default in query(
            f"SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns "
            f"WHERE table_schema = current_schema() AND table_name = '{table}'"
        )
    )
    own = {name for kind in "pu" for name, _ in of[kind]}
    indexes = {
        _index(_without_schema(sql))
        for name, sql in query(
            f"SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = '{table}'"
        )
        if name not in own
    }
    foreign = set()
    for _, text in of["f"]:
        found = re.search(r"\((\w+)\) REFERENCES (?:\w+\.)?(\w+)\((\w+)\)(?: ON DELETE (\w+))?", text)
        assert found is not None
        foreign.add((found[1], found[2], found[3], found[4] or "NO ACTION"))
    return [columns, key, {tuple(_names(text)) for _, text in of["u"]}, indexes, foreign, {name for name, _ in of["c"]}]


def _names(definition: str) -> list[str]:
    return [name.strip('" ') for name in definition[definition.index("(") + 1 : definition.rindex(")")].split(",")]


def _default(kind: str, default: str | None) -> str | None:
    if default is None:
        return None
    plain = default.partition("::")[0].strip("'()")
    return {"0": "false", "1": "true"}.get(plain, plain) if _TYPES[kind] == "boolean" else plain


def _index(sql: str) -> str:
    """An index as `CREATE INDEX` says it, without what the two write differently: quotes, casts, parentheses, `IN`."""
    plain = re.sub(r"::\w+|\bUSING btree |\"", "", " ".join(sql.split()))
    plain = plain.replace("= ANY (ARRAY[", "IN ").replace("]", "")
    return (
        re.sub(r"[()]", " ", plain).replace(" ,", ",").lower().split(" on ", 1)[0]
        + " on "
        + " ".join(re.sub(r"[()]", " ", plain).lower().split(" on ", 1)[1].split())
    )


def _without_schema(sql: str) -> str:
    return re.sub(r" ON \w+\.", " ON ", sql)
