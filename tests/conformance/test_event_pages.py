"""Lists of the audit log by ids of DAGs and runs have the rows that a comparison with each row gives, on both databases."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.conformance.storeworld import AT, World

from gnomon.model.records import EventRecord
from gnomon.storage.store.dag_records.event_log import log_events
from gnomon.storage.store.pages import event_pages
from gnomon.storage.store.pages.event_pages import (
    count_events,
    find_end_of_event_search,
    read_event_page,
    resolve_names,
)
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey

ORDER = (SortKey("event_log_id"),)
Names = tuple[str | None, str | None]
"""The DAG id and the run id of a row."""


def _fill(world: World) -> None:
    """One row about nothing, one about each of two DAGs and one about the run `r` of each."""
    for dag_id in ("up", "down"):
        world.dag(dag_id)
    runs = [world.run(dag_id, "r") for dag_id in ("up", "down")]
    with world.db.write() as tx:
        tx._connection.execute_raw("DELETE FROM event_log")
        log_events(tx, [EventRecord(AT, "account_created", by="cli:x", body="")])
        log_events(tx, [EventRecord(AT, "dag_paused", by="cli:x", body="", dag_pk=run.dag_pk) for run in runs])
        log_events(tx, [EventRecord(AT, "run_created", by="cli:x", body="", run_pk=run.run_pk) for run in runs])


CASES: dict[str, tuple[Condition, Callable[[Names], bool]]] = {
    "one id": (Condition("dag_id", Operator.EQUAL, "down"), lambda names: names[0] == "down"),
    "several ids": (Condition("dag_id", Operator.IN, ["up", "none"]), lambda names: names[0] == "up"),
    "an id or none": (Condition("dag_id", Operator.IN, ["up", None]), lambda names: names[0] in ("up", None)),
    "any DAG": (Condition("dag_id", Operator.NOT_IN, [None]), lambda names: names[0] is not None),
    "a part of the id": (Condition("dag_id", Operator.MATCHES, ["OW"]), lambda names: names[0] == "down"),
    "not a part of the id": (Condition("dag_id", Operator.MATCHES_NOT, ["ow"]), lambda names: names[0] != "down"),
    "the begin of the id": (Condition("dag_id", Operator.STARTS_WITH, ["u"]), lambda names: names[0] == "up"),
    "a run": (Condition("run_id", Operator.EQUAL, "r"), lambda names: names[1] == "r"),
    "no such run": (Condition("run_id", Operator.EQUAL, "s"), lambda _: False),
    "a part of the run id": (Condition("run_id", Operator.MATCHES, ["R"]), lambda names: names[1] == "r"),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_of_the_audit_log_are_found_by_the_ids_of_their_dags_and_runs(world: World, case: str) -> None:
    _fill(world)
    condition, holds = CASES[case]
    with world.db.read() as tx:
        every = read_event_page(tx, PageQuery((), ORDER, 100))
        assert [(row.dag_id, row.run_id) for row in every] == [
            (None, None),
            ("up", None),
            ("down", None),
            ("up", "r"),
            ("down", "r"),
        ]
        expected = [row.event_pk for row in every if holds((row.dag_id, row.run_id))]
        assert len(expected) < len(every)
        for conditions in ([condition], resolve_names(tx, [condition])):
            assert [row.event_pk for row in read_event_page(tx, PageQuery(tuple(conditions), ORDER, 100))] == expected
            assert count_events(tx, conditions, 100) == len(expected)


def test_rows_of_few_runs_are_found_by_an_index_and_those_of_many_are_searched_to_a_bound(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(world)
    monkeypatch.setattr(event_pages, "EVENTS_SEARCHED_MAX", 2)
    with world.db.read() as tx:
        query = PageQuery(tuple(resolve_names(tx, [Condition("run_id", Operator.EQUAL, "r")])), ORDER, 10)
        assert find_end_of_event_search(tx, query) is None
        monkeypatch.setattr(event_pages, "RUNS_FOUND_MAX", 1)
        end = find_end_of_event_search(tx, query)
        assert end is not None and (end.field, end.operator) == ("event_log_id", Operator.AT_MOST)
