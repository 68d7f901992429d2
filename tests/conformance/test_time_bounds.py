"""Lists in the order of ids that begin at the first run of a range of times have the rows that the same lists have when all rows are looked at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bench.api_history import DAY, END, HistorySize, create_store, fill_history
from tests.databases import BOTH, empty_database

from gnomon.ground.config import load_config
from gnomon.storage.store import Database, Transaction, load_cipher, open_database
from gnomon.storage.store.pages import run_walk
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.pages.page_reader import read_page
from gnomon.storage.store.pages.task_instance_pages import (
    plan_task_instance_walk,
    read_task_instance_page,
    read_walked_page,
)
from gnomon.storage.store.pages.time_bounds import bound_runs
from gnomon.storage.store.pages.xcom_pages import bound_xcoms, read_xcom_page

TIMES = ("run_after", "logical_date", "start_date", "end_date", "updated_at")
ALL = 10**5
NEWEST, OLDEST = END - 4 * DAY, END - 16 * DAY
MORE: tuple[tuple[Condition, ...], ...] = (
    (),
    (Condition("state", Operator.IN, [100]),),
    (Condition("dag_pk", Operator.IN, [2, 3]), Condition("end_date", Operator.IN, [None])),
)


@pytest.fixture(scope="module", params=BOTH)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Runs in the order of their times, but for some: the oldest id is due last and was cleared last, and the newest id is due first."""
    folder: Path = tmp_path_factory.mktemp("bounds")
    with empty_database(request.param, folder) as url:
        create_store(url)
        cfg = load_config(
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"}, folder
        )
        database = open_database(url, synchronous="OFF", cipher=load_cipher(cfg))
        fill_history(database, HistorySize(10, 200, grid_runs=3))
        with database.write() as tx:
            for end, at in (("min", END), ("max", END - 30 * DAY)):
                tx._connection.execute_raw(
                    f"UPDATE dag_run SET run_after = {at}, logical_at = {at}, started_at = {at}, ended_at = CASE WHEN ended_at IS NOT NULL THEN {at} END "
                    f"WHERE run_pk = (SELECT {end}(run_pk) FROM dag_run)"
                )
            tx._connection.execute_raw("UPDATE dag_run SET logical_at = NULL WHERE run_pk % 7 = 0")
        yield database
        database.close()


@pytest.fixture
def tx(history: Database) -> Iterator[Transaction]:
    with history.read() as tx:
        yield tx


def build_conditions(field: str, *, descends: bool) -> tuple[Condition, ...]:
    return (
        (Condition(field, Operator.AT_MOST, OLDEST),)
        if descends
        else (Condition(field, Operator.MORE, NEWEST), Condition(field, Operator.LESS, END + DAY))
    )


def read_bounded(
    tx: Transaction, conditions: Sequence[Condition], query: PageQuery
) -> tuple[list[object], list[tuple[object, ...]], bool]:
    bounded = bound_runs(tx, conditions, query.order, is_continued=query.position is not None)
    found = read_page(tx, "run_pages.page", replace(query, conditions=bounded.conditions, is_short=bounded.is_short))
    return list(found.rows), found.keys, found.has_more


@pytest.mark.parametrize("descends", [False, True])
def test_runs_are_those_of_the_whole_list(tx: Transaction, descends: bool) -> None:
    order = (SortKey("id", descends),)
    for field, more in itertools.product(TIMES, MORE):
        conditions = (*build_conditions(field, descends=descends), *more)
        whole = read_page(tx, "run_pages.page", PageQuery(conditions, order, ALL))
        assert whole.rows or more, field
        bounded = bound_runs(tx, conditions, order)
        assert bounded.is_short is not more and (more or bounded.conditions != conditions or field != "end_date"), field
        for size, offset in ((ALL, 0), (3, 0), (3, 2), (2, ALL)):
            found, keys, has_more = read_bounded(tx, conditions, PageQuery((), order, size, offset))
            assert (found, keys) == (whole.rows[offset : offset + size], whole.keys[offset : offset + size]), (
                field,
                more,
            )
            assert has_more is (offset + size < len(whole.rows))
        for number in range(len(whole.rows)):
            after, _, _ = read_bounded(tx, conditions, PageQuery((), order, 3, position=Position(whole.keys[number])))
            before, _, _ = read_bounded(
                tx, conditions, PageQuery((), order, 3, position=Position(whole.keys[number], is_before=True))
            )
            assert (after, before) == (whole.rows[number + 1 : number + 4], whole.rows[max(number - 3, 0) : number]), (
                field,
                more,
            )


@pytest.mark.parametrize("descends", [False, True])
def test_a_range_in_the_first_half_of_the_list_is_read_in_its_order(tx: Transaction, descends: bool) -> None:
    order = (SortKey("id", descends),)
    for field in TIMES:
        for condition in build_conditions(field, descends=not descends)[:1]:
            bounded = bound_runs(tx, [condition], order)
            assert bounded.conditions == (condition,) and not bounded.is_short, field
        assert not bound_runs(
            tx, build_conditions(field, descends=descends), (SortKey("run_after", descends), *order)
        ).is_short


@pytest.mark.parametrize("is_long", [False, True])
@pytest.mark.parametrize("descends", [False, True])
def test_xcoms_are_those_of_the_whole_list(tx: Transaction, descends: bool, is_long: bool) -> None:
    order = (SortKey("id", descends),)
    for field, more in itertools.product(
        TIMES[:2],
        ((), (Condition("dag_pk", Operator.IN, [1, 2, 3]),), (Condition("key", Operator.IN, ["return_value"]),)),
    ):
        conditions = (*build_conditions(field, descends=descends), *more)
        whole = read_xcom_page(tx, PageQuery(conditions, order, ALL))
        bounded = tuple(bound_xcoms(tx, conditions, order, is_long=is_long))
        assert whole and len(bounded) == len(conditions) + 1
        for size, offset in ((ALL, 0), (3, 0), (3, 2)):
            assert read_xcom_page(tx, PageQuery(bounded, order, size, offset)) == whole[offset : offset + size], (
                field,
                more,
            )
        of_run = [*conditions, Condition("run_pk", Operator.EQUAL, 1)]
        assert bound_xcoms(tx, of_run, order, is_long=is_long) == of_run


@pytest.mark.parametrize("descends", [False, True])
def test_task_instances_of_many_runs_are_those_of_the_whole_list(
    tx: Transaction, monkeypatch: pytest.MonkeyPatch, descends: bool
) -> None:
    monkeypatch.setattr(run_walk, "RUNS_FOUND_MAX", 0)
    monkeypatch.setattr(run_walk, "_PIECES", (2, 5, 13, ALL))
    order = tuple(SortKey(field, descends) for field in ("run_pk", "task_no", "map_index"))
    for field, more in itertools.product(
        TIMES[:2], ((), (Condition("dag_pk", Operator.IN, [1, 2, 3]),), (Condition("try_number", Operator.IN, [2]),))
    ):
        conditions = (*build_conditions(field, descends=descends), *more)
        walk = plan_task_instance_walk(tx, conditions, order)
        assert walk is not None and (walk.found is None) is any(condition.field == "dag_pk" for condition in more)
        whole = read_task_instance_page(tx, PageQuery(conditions, order, ALL))
        for size, offset in ((ALL, 0), (3, 0), (40, 20)):
            page = read_walked_page(tx, walk, PageQuery(conditions, order, size, offset))
            assert page.instances == whole.instances[offset : offset + size], (field, more)
            assert page.searched_to is None, (field, more)
        for number in range(0, len(whole.keys), 7):
            page = read_walked_page(tx, walk, PageQuery(conditions, order, 3, position=Position(whole.keys[number])))
            assert page.instances == whole.instances[number + 1 : number + 4], (field, more)
