"""The database of PostgreSQL that tests share is as a new one for each of them."""

from __future__ import annotations

import psycopg
import pytest
from tests.databases import KeptSchema

pytestmark = pytest.mark.postgres


def read_all(kept: KeptSchema) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(kept.url) as connection:
        return {
            table: sorted(connection.execute(f'SELECT * FROM "{table}"').fetchall(), key=repr) for table in kept.tables
        }


def test_rows_and_numbers_of_a_test_do_not_reach_the_next_one() -> None:
    kept = KeptSchema()
    before = read_all(kept)
    with psycopg.connect(kept.url) as connection:
        connection.execute(
            "UPDATE pool SET slots = 3; DELETE FROM dag_group; INSERT INTO service_lease VALUES ('a', 'b', 'c', 1)"
        )
        connection.execute("INSERT INTO alert_event (kind, at, dag_pk, run_pk, body) VALUES ('failure', 1, 1, 1, '{}')")
    assert read_all(kept) != before
    assert kept.reset()
    assert read_all(kept) == before
    with psycopg.connect(kept.url) as connection:
        number = connection.execute(
            "INSERT INTO alert_event (kind, at, dag_pk, run_pk, body) VALUES ('failure', 1, 1, 1, '{}') RETURNING event_pk"
        ).fetchone()
    assert number == (1,)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE pool ADD COLUMN more TEXT",
        "DROP INDEX alert_raised",
        "CREATE TABLE more (n INT)",
        "ALTER TABLE alert DROP CONSTRAINT alert_resolved_check",
    ],
)
def test_a_schema_that_a_test_has_changed_is_not_used_again(change: str) -> None:
    kept = KeptSchema()
    with psycopg.connect(kept.url) as connection:
        connection.execute(change)
    assert not kept.reset()


def test_nor_is_one_in_which_a_lock_is_held() -> None:
    kept = KeptSchema()
    with psycopg.connect(kept.url) as other:
        other.execute("SELECT 1 FROM pool FOR UPDATE")
        assert not kept.reset()
