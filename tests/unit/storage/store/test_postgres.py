"""Lists as PostgreSQL reads them, and the settings of a session."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from pathlib import Path

import pytest
from psycopg import DataError
from tests.databases import empty_database

from gnomon.storage.store.address import parse_address
from gnomon.storage.store.drivers.postgres import ArrayDumper, array_literal, connect_postgres


class Number(IntEnum):
    ONE = 1


class Word(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "{}"),
        ([1, None, -(2**62)], "{1,NULL,-4611686018427387904}"),
        ([Number.ONE], "{1}"),
        ([True, False, None], "{True,False,NULL}"),
        ([0.5, None], "{0.5,NULL}"),
        ([None, None], "{NULL,NULL}"),
        (["a", None, ""], '{"a",NULL,""}'),
        ([Word.A], '{"a"}'),
        ([b"\x00\xff", None, b""], '{"\\\\x00ff",NULL,"\\\\x"}'),
        (["None", "NULL"], '{"None","NULL"}'),
        (['say "a"', "back\\slash", "a,{b}"], '{"say \\"a\\"","back\\\\slash","a,{b}"}'),
    ],
)
def test_a_list_is_the_text_of_an_array(values: list[object], text: str) -> None:
    assert array_literal(values) == text


def test_a_text_that_postgresql_cannot_hold_is_refused_before_it_is_sent() -> None:
    with pytest.raises(DataError, match="NUL"):
        ArrayDumper(list).dump(["a\0b"])


@pytest.mark.ordinary
def test_a_session_uses_one_process_and_compiles_no_plan(tmp_path: Path) -> None:
    with empty_database("postgresql", tmp_path) as url:
        connection = connect_postgres(parse_address(url).target)
        shown = [
            connection.execute(f"SHOW {name}".encode()).fetchone()
            for name in ("max_parallel_workers_per_gather", "jit", "default_transaction_isolation")
        ]
        connection.close()
    assert shown == [("0",), ("off",), ("read committed",)]
