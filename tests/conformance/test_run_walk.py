"""Lists of task instances and of runs that no index finds have the rows that the same list has when all rows are looked at, or are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from bench.api_history import DAY, END, HistorySize, create_store, fill_history, open_driver
from fastapi import HTTPException
from tests.databases import BOTH, empty_database

from gnomon.api.common.ordering import parse_order
from gnomon.api.common.paging import PageParameters, TotalEntries
from gnomon.api.v2 import dag_runs
from gnomon.api.v2.run_filters import RUN_KEY, RUN_ORDER
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND
from gnomon.storage.store import Database, Transaction, load_cipher, open_database
from gnomon.storage.store.pages import listing_clauses, run_conditions, run_pages, run_walk
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.pages.run_conditions import mark_dags
from gnomon.storage.store.pages.run_walk import RunWalk, count_walked
from gnomon.storage.store.pages.task_instance_pages import (
    count_task_instances,
    plan_task_instance_walk,
    read_task_instance_page,
    read_walked_page,
)

ALL = 10**5
KEY = ("run_pk", "task_no", "map_index")
FILTERS: dict[str, tuple[Condition, ...]] = {
    "pool": (Condition("pool", Operator.IN, ["pool_07"]),),
    "tries": (Condition("try_number", Operator.IN, [2]),),
    "duration": (Condition("duration", Operator.AT_LEAST, 30 * SECOND),),
    "started": (
        Condition("start_date", Operator.AT_LEAST, END - 3 * DAY),
        Condition("start_date", Operator.LESS, END - DAY),
    ),
    "ended": (Condition("end_date", Operator.MORE, END - 2 * DAY),),
    "unsuccessful since": (
        Condition("state", Operator.IN, [101, 102]),
        Condition("end_date", Operator.AT_LEAST, END - 20 * DAY),
    ),
    "due": (Condition("run_after", Operator.AT_LEAST, END - 4 * DAY),),
    "due and long": (
        Condition("run_after", Operator.AT_LEAST, END - 9 * DAY),
        Condition("duration", Operator.AT_LEAST, 50 * SECOND),
    ),
    "none": (Condition("try_number", Operator.IN, [9]),),
}


@pytest.fixture(scope="module", params=BOTH)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("walk")
    with empty_database(request.param, folder) as url:
        create_store(url)
        cfg = load_config(
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"}, folder
        )
        database = open_database(url, synchronous="OFF", cipher=load_cipher(cfg))
        fill_history(database, HistorySize(10, 200, grid_runs=3))
        yield database
        database.close()


@pytest.fixture
def tx(history: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Transaction]:
    monkeypatch.setattr(run_walk, "_PIECES", (2, 5, 13, ALL))
    with history.read() as tx:
        yield tx


def build_order(name: str, *, descends: bool) -> tuple[SortKey, ...]:
    first = () if name == "run_pk" else (name,)
    return tuple(SortKey(field, descends) for field in (*first, *KEY))


def find_walk(tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]) -> RunWalk:
    walk = plan_task_instance_walk(tx, conditions, order)
    assert walk is not None
    return walk


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("name", ["run_pk", "run_after", "logical_date"])
@pytest.mark.parametrize("conditions", FILTERS.values(), ids=FILTERS)
def test_walked_pages_follow_one_another_forwards_and_backwards(
    tx: Transaction, conditions: tuple[Condition, ...], name: str, descends: bool
) -> None:
    order = build_order(name, descends=descends)
    whole = read_task_instance_page(tx, PageQuery(conditions, order, ALL))
    walk = find_walk(tx, conditions, order)
    size = max(7, len(whole.keys) // 6)
    query = PageQuery(conditions, order, size)
    keys: list[tuple[object, ...]] = []
    page = read_walked_page(tx, walk, query)
    while page.keys:
        assert page.searched_to is None
        before = read_walked_page(tx, walk, replace(query, position=Position(page.keys[0], is_before=True)))
        assert before.keys == keys[-size:]
        keys += page.keys
        page = read_walked_page(tx, walk, replace(query, position=Position(page.keys[-1])))
    assert keys == whole.keys
    all_counted = count_walked(tx, walk, ALL)
    for offset in (0, 11, len(whole.keys)):
        for counted in (
            None,
            all_counted,
            count_walked(tx, walk, offset + size),
            count_walked(tx, walk, offset + size + 1),
        ):
            assert (
                read_walked_page(tx, walk, replace(query, offset=offset), counted).keys
                == whole.keys[offset : offset + size]
            )


@pytest.mark.parametrize("conditions", FILTERS.values(), ids=FILTERS)
def test_walked_rows_are_counted(tx: Transaction, conditions: tuple[Condition, ...]) -> None:
    order = build_order("start_date", descends=True)
    total = count_task_instances(tx, conditions, ALL)
    walk = find_walk(tx, conditions, order)
    counted, few = count_walked(tx, walk, ALL), count_walked(tx, walk, 3)
    assert (counted.total, sum(count for _, count in counted.pieces), counted.is_cut, counted.ends_early) == (
        total,
        total,
        False,
        False,
    )
    assert (few.total, few.is_cut, few.ends_early) == (min(3, total), False, total >= 3)
    assert (
        read_walked_page(tx, walk, PageQuery(conditions, order, 20)).keys
        == read_task_instance_page(tx, PageQuery(conditions, order, 20)).keys
    )


def test_a_walk_ends_after_a_number_of_runs_and_says_so(tx: Transaction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_walk, "_PIECES", (2, 5, 7))
    order = build_order("run_pk", descends=False)
    page = read_walked_page(tx, find_walk(tx, FILTERS["none"], order), PageQuery(FILTERS["none"], order, 5))
    assert page.instances == [] and page.searched_to is not None
    due = read_walked_page(tx, find_walk(tx, FILTERS["due"], order), PageQuery(FILTERS["due"], order, 5))
    assert due.searched_to is None


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("name", ["run_pk", "run_after"])
@pytest.mark.parametrize("conditions", FILTERS.values(), ids=FILTERS)
def test_a_search_that_goes_on_where_it_ended_finds_all(
    tx: Transaction, monkeypatch: pytest.MonkeyPatch, conditions: tuple[Condition, ...], name: str, descends: bool
) -> None:
    order = build_order(name, descends=descends)
    whole = read_task_instance_page(tx, PageQuery(conditions, order, ALL))
    monkeypatch.setattr(run_walk, "_PIECES", (2, 5, 7))
    walk = find_walk(tx, conditions, order)
    query = PageQuery(conditions, order, max(7, len(whole.keys) // 6))
    keys: list[tuple[object, ...]] = []
    page = read_walked_page(tx, walk, query, count_walked(tx, walk, ALL))
    while True:
        keys += page.keys
        end = page.keys[-1] if page.has_more else page.searched_to
        if end is None:
            break
        page = read_walked_page(tx, walk, replace(query, position=Position(end)))
    assert keys == whole.keys


def test_a_task_instance_that_was_marked_after_the_end_of_its_run_is_found_by_its_end(history: Database) -> None:
    with open_driver(history.url) as execute:
        execute(f"UPDATE task_instance SET ended_at = {END + 90 * DAY} WHERE run_pk = 1 AND task_no = 2")
        execute(
            f"INSERT INTO event_log (at, kind, run_pk, by, body) VALUES ({END + 90 * DAY}, 'marked', 1, 'cli:user_1', '')"
        )
    order = build_order("run_pk", descends=False)
    conditions = (Condition("end_date", Operator.AT_LEAST, END + 80 * DAY),)
    with history.read() as tx:
        walk = find_walk(tx, conditions, order)
        assert [one.task_id for one in read_walked_page(tx, walk, PageQuery(conditions, order, 5)).instances] == [
            "task_2"
        ]


def test_lists_of_one_dag_or_of_states_with_an_index_are_not_walked(tx: Transaction) -> None:
    order = build_order("run_pk", descends=False)
    for conditions in (
        (),
        (Condition("state", Operator.IN, [101]),),
        (Condition("state", Operator.IN, [3]), Condition("pool", Operator.IN, ["x"])),
        (Condition("dag_pk", Operator.EQUAL, 1), *FILTERS["pool"]),
        (Condition("run_pk", Operator.IN, [1]), *FILTERS["pool"]),
        (Condition("state", Operator.IN, [101, 103]), Condition("end_date", Operator.AT_LEAST, END), *FILTERS["pool"]),
    ):
        assert plan_task_instance_walk(tx, conditions, order) is None


MANUAL, NONE_SUCH = Condition("run_type", Operator.IN, ["manual"]), Condition("version_number", Operator.IN, [77])


def list_runs(
    tx: Transaction, name: str, conditions: Sequence[Condition], position: Position | None = None
) -> tuple[list[tuple[object, ...]], TotalEntries]:
    order = parse_order([name], RUN_ORDER, "id", RUN_KEY)
    found = dag_runs._read_page(tx, conditions, order, PageParameters(limit=4), position)
    return found.page.keys, found.total


@pytest.mark.parametrize("name", ["id", "-id", "run_after", "-start_date", "end_date", "-logical_date", "updated_at"])
def test_a_search_for_runs_that_fills_its_pages_gives_the_pages_of_the_whole_list(
    tx: Transaction, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wanted = [MANUAL]
    first, total = list_runs(tx, name, wanted)
    after, _ = list_runs(tx, name, wanted, Position(first[-1]))
    before, _ = list_runs(tx, name, wanted, Position(after[0], is_before=True))
    assert (total.limit, before) == (None, first)
    monkeypatch.setattr(run_pages, "RUNS_SEARCHED_MAX", 90)
    assert list_runs(tx, name, wanted)[0] == first
    assert list_runs(tx, name, wanted)[1].limit is not None
    assert list_runs(tx, name, wanted, Position(first[-1]))[0] == after
    assert list_runs(tx, name, wanted, Position(after[0], is_before=True))[0] == first


@pytest.mark.parametrize("name", ["id", "-run_after"])
def test_a_search_for_runs_that_finds_too_few_is_refused_and_a_short_range_is_not(
    tx: Transaction, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert list_runs(tx, name, [NONE_SUCH]) == ([], TotalEntries(0))
    monkeypatch.setattr(run_pages, "RUNS_SEARCHED_MAX", 90)
    with pytest.raises(
        HTTPException, match="runs were searched .* name a DAG in the path, or add a state or a range of run_after"
    ):
        list_runs(tx, name, [NONE_SUCH])
    assert list_runs(tx, name, [NONE_SUCH, Condition("run_after", Operator.AT_LEAST, END - DAY)]) == (
        [],
        TotalEntries(0),
    )


@pytest.mark.parametrize(
    ("few", "part"),
    [(30, 16), (30, 3), (8_000, 16)],
    ids=["each is looked up", "runs are compared", "runs are read first"],
)
@pytest.mark.parametrize("states", [[101], [101, 102, 103]])
@pytest.mark.parametrize("estimated", [1, 1_000])
def test_unsuccessful_task_instances_of_some_dags_are_the_same_however_their_dags_are_compared(
    tx: Transaction, monkeypatch: pytest.MonkeyPatch, states: list[int], few: int, part: int, estimated: int
) -> None:
    monkeypatch.setattr(listing_clauses, "ESTIMATED_VALUES_MAX", estimated)
    monkeypatch.setattr(run_conditions, "ESTIMATED_VALUES_MAX", estimated)
    monkeypatch.setattr(run_conditions, "FEW_RUNS", few)
    monkeypatch.setattr(run_conditions, "FEW_OF_ALL", part)
    chosen, order = [2, 7, 9], build_order("run_pk", descends=True)
    of_states = Condition("state", Operator.IN, states)
    every = read_task_instance_page(tx, PageQuery((of_states,), order, ALL))
    dags = dict(tx.all_of(replace(tx.listing("run_pages.page"), text="SELECT run_pk, dag_pk FROM dag_run"), {}))
    expected = [keys for keys in every.keys if dags[keys[0]] in chosen]
    assert 0 < len(expected) < len(every.keys)
    marked = mark_dags(tx, [of_states, Condition("dag_pk", Operator.IN, chosen)])
    assert (marked[1].is_dense, marked[1].has_few_members) == (few == 30, part == 3)
    assert plan_task_instance_walk(tx, marked, order) is None
    assert count_task_instances(tx, marked, ALL) == len(expected)
    assert read_task_instance_page(tx, PageQuery(tuple(marked), order, 11)).keys == expected[:11]
    assert read_task_instance_page(tx, PageQuery(tuple(marked), order, ALL, is_short=True)).keys == expected
