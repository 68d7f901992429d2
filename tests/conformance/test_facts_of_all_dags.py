"""The facts of all DAGs in memory are those of the database after every kind of change, and are not read anew for other changes, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.conformance.storeworld import AT, World, parsed, spec

from gnomon.model.change_entries import PoolChange
from gnomon.model.spec import ParseFailure
from gnomon.queries.report.listings.dag_facts import FactsOfAll, VersionFactsCache
from gnomon.storage.store import Transaction, change_journal
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.parsed_files import dag_files


def _find(world: World, cache: VersionFactsCache) -> FactsOfAll:
    with world.db.read() as tx:
        return cache.find_all(tx)


def _deactivate(world: World) -> None:
    with world.db.write() as tx:
        dag_files.record_deleted_files(tx, ["/dags/b.py"], AT)


def _delete(world: World) -> None:
    dag = world.read_dag("a")
    with world.db.write() as tx:
        commit.delete_dags(tx, [dag.dag_pk])


CHANGES: dict[str, Callable[[World], object]] = {
    "a new DAG": lambda world: world.record(parsed("/dags/b.py", spec("b", tags=("x",)))),
    "a new version": lambda world: world.record(parsed("/dags/b.py", spec("b", tags=("y",)), input_hash="2")),
    "another text": lambda world: world.record(
        parsed("/dags/b.py", msgspec.structs.replace(spec("b", tags=("y",)), description="new"), input_hash="3")
    ),
    "no DAG in a file": _deactivate,
    "a DAG in another file": lambda world: world.record(parsed("/dags/c.py", spec("b", tags=("y",)))),
    "a deleted DAG": _delete,
}


def test_the_facts_in_memory_follow_every_change(world: World) -> None:
    world.dag("a")
    cache = VersionFactsCache()
    before = _find(world, cache)
    for what, change in CHANGES.items():
        change(world)
        found = _find(world, cache)
        assert found == _find(world, VersionFactsCache()), what
        assert found is not before, what
        assert _find(world, cache) is found
        before = found


def test_the_rows_of_all_dags_are_read_only_when_the_journal_names_a_dag(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.dag("a")
    cache = VersionFactsCache()
    found = _find(world, cache)
    names = _record_statements(monkeypatch)
    world.run("a", "r")
    world.record(parsed("/dags/bad.py", failures=(ParseFailure(kind="syntax", message='["d",'),)))
    for change in (lambda tx: None, lambda tx: change_journal.record_change(tx, PoolChange("p", "set"))):
        with world.db.write() as tx:
            change(tx)
        assert _find(world, cache) is found
    assert "dag_pages.all_versions" not in names
    with world.db.write() as tx:
        dags.set_paused(tx, "a", True, "me", AT)
    assert _find(world, cache) is found
    assert names.count("dag_pages.all_versions") == 1
    for _ in range(change_journal.ROWS_SEARCHED_MAX + 1):
        with world.db.write() as tx:
            change_journal.record_change(tx, PoolChange("p", "set"))
    assert _find(world, cache) is found
    assert names.count("dag_pages.all_versions") == 2


def _record_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    read = Transaction.all

    def read_and_note(tx: Transaction, name: str, /, **parameters: Any) -> Any:
        names.append(name)
        return read(tx, name, **parameters)

    monkeypatch.setattr(Transaction, "all", read_and_note)
    return names


@pytest.mark.parametrize(
    ("before", "now", "is_changed"),
    [
        ((1, 9, 9), (1, 9, 9), False),
        ((1, 9, 9), (3, 9, 7), True),
        ((1, 9, 8), (1, 9, 9), True),
        ((0, 0, 0), (0, 0, 0), False),
    ],
)
def test_a_row_that_appears_before_others_counts_as_a_change(
    world: World, before: tuple[int, int, int], now: tuple[int, int, int], is_changed: bool
) -> None:
    with world.db.read() as tx:
        assert (
            change_journal.is_any_dag_changed(
                tx, change_journal.JournalExtent(*before), change_journal.JournalExtent(*now)
            )
            is is_changed
        )
