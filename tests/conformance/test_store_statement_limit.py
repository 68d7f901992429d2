"""A statement that reads for too long is cancelled, on both databases; the connection is used again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.databases import BOTH, new_database

from gnomon.storage.store import open_database
from gnomon.storage.store.address import SQLITE
from gnomon.storage.store.errors import StatementTooSlow
from gnomon.storage.store.statements import Statement

ENDLESS = Statement(
    "endless",
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n FROM numbers) SELECT count(*) FROM numbers",
    is_prepared=False,
)
LONG = Statement(
    "long",
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300000) SELECT count(*) FROM numbers",
    is_prepared=False,
)


@pytest.mark.parametrize("kind", BOTH)
def test_a_statement_without_end_is_cancelled_and_the_next_one_is_answered(kind: str, tmp_path: Path) -> None:
    with new_database(kind, tmp_path) as url:
        db = open_database(url, read_limit_s=0.05)
        try:
            for _ in range(3):
                with (
                    pytest.raises(StatementTooSlow, match=r"the database did not answer within 0\.05 s: ask for less"),
                    db.read() as tx,
                ):
                    tx.all_of(ENDLESS, {})
            with db.read() as tx:
                assert tx.one("schema.revision") is not None
            if db.dialect == SQLITE:  # a write has no limit: interrupted, it would have to begin again
                with db.write() as tx:
                    assert tx.all_of(LONG, {}) == [(300000,)]
        finally:
            db.close()
