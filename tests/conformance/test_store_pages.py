"""Pages of lists: every order of every listing gives the same rows, page by page, by cursor and by offset, forwards and backwards, on both databases."""

from __future__ import annotations

import itertools

import pytest
from tests.conformance.storeworld import World, raw

from gnomon.storage.store import Transaction
from gnomon.storage.store.pages import listing_clauses, run_conditions
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.pages.run_conditions import resolve_dags, tally_conditions
from gnomon.storage.store.pages.run_pages import count_runs
from gnomon.storage.store.statements import Statement
from gnomon.storage.store.transaction import Row

RUNS, FIELDS = (
    "run_pages.page",
    ("state", "start_date", "end_date", "logical_date", "updated_at", "run_after", "duration", "partition_key"),
)
NAMES = ("run_pages.page", "run_pages.page_by_dag")


def _fill(world: World) -> None:
    """Runs of two DAGs in all states, with equal times, without a start, and without a logical date."""
    for dag_id in ("up", "down"):
        world.dag(dag_id)
    with world.db.write() as tx:
        dag_pks = [row[0] for row in tx.all("dag_pages.all_versions")]
        connection = tx._connection
        for number in range(40):
            state = (1, 2, 100, 101)[number % 4]
            started = None if state == 1 or number % 11 == 3 else 1000 + number // 3
            ended = None if state < 100 else 5000 + number // 5
            values = [
                dag_pks[number % len(dag_pks)],
                f"r{number:02d}",
                state,
                100 + number // 4,
                None if number % 7 == 0 else 50 + number // 2,
                started,
                ended,
                10 + number,
            ]
            texts = [
                "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value) for value in values
            ]
            connection.execute_raw(
                "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, state, run_after, logical_at, started_at, ended_at, queued_at) "
                f"VALUES ({texts[0]}, 0, {texts[1]}, 'manual', {', '.join(texts[2:])})"
            )
        connection.execute_raw(
            "INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, state, count(*) FROM dag_run GROUP BY dag_pk, state"
        )


def _walk(
    tx: Transaction,
    name: str,
    order: tuple[SortKey, ...],
    size: int,
    conditions: tuple[Condition, ...],
    *,
    is_short: bool,
    backwards: bool = False,
) -> list[int]:
    """The keys of all runs, read in pages by cursor; backwards from the last."""
    found: list[int] = []
    position: Position | None = None
    if backwards:
        last = read_page(tx, name, PageQuery(conditions, order, 1000, is_short=is_short))
        position = Position(last.keys[-1], is_before=True)
        found = [int(last.rows[-1][0])]
    for _ in itertools.count():
        page = read_page(tx, name, PageQuery(conditions, order, size, position=position, is_short=is_short))
        keys = [int(row[0]) for row in page.rows]
        found = [*keys, *found] if backwards else [*found, *keys]
        if not page.has_more:
            return found
        position = Position(page.keys[0] if backwards else page.keys[-1], is_before=backwards)
    raise AssertionError("itertools.count ends never")


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("is_short", [False, True])
def test_every_order_gives_each_row_once_by_cursor_and_by_offset(world: World, is_short: bool, descends: bool) -> None:
    _fill(world)
    with world.db.read() as tx:
        for name, field in itertools.product(NAMES, FIELDS):
            order = (SortKey(field, descends), SortKey("id", descends))
            for conditions in ((), (Condition("state", Operator.IN, [2, 100, 101]),)):
                whole = read_page(tx, name, PageQuery(conditions, order, 1000, is_short=is_short))
                expected = [int(row[0]) for row in whole.rows]
                assert len(set(expected)) == len(expected) == count_rows(tx, "run_pages.count", conditions, 1000), field
                assert [key[0] for key in whole.keys if key[0] is not None] == sorted(
                    (key[0] for key in whole.keys if key[0] is not None), reverse=descends
                ), field
                nulls = [key[0] is None for key in whole.keys]
                assert nulls == sorted(nulls), f"{field}: NULL is last"
                assert _walk(tx, name, order, 7, conditions, is_short=is_short) == expected, field
                assert _walk(tx, name, order, 7, conditions, is_short=is_short, backwards=True) == expected, field
                pages = [
                    read_page(tx, name, PageQuery(conditions, order, 7, offset, is_short=is_short))
                    for offset in range(0, 49, 7)
                ]
                assert [int(row[0]) for page in pages for row in page.rows] == expected, field


def test_a_position_with_an_unknown_value_begins_at_the_next_part(world: World) -> None:
    _fill(world)
    with world.db.read() as tx:
        page = read_page(tx, RUNS, PageQuery((), (SortKey("state"), SortKey("id")), 1000, position=Position((50, 0))))
        assert {key[0] for key in page.keys} == {100, 101}
        page = read_page(
            tx,
            RUNS,
            PageQuery(
                (), (SortKey("state", descends=True), SortKey("id", descends=True)), 1000, position=Position((50, 0))
            ),
        )
        assert {key[0] for key in page.keys} == {1, 2}


def test_long_lists_of_values_are_one_parameter(world: World) -> None:
    _fill(world)
    with world.db.read() as tx:
        keys = [int(row[0]) for row in read_page(tx, RUNS, PageQuery((), (SortKey("id"),), 1000)).rows]
        many = Condition("id", Operator.IN, [*keys[:5], *range(10_000_000, 10_050_000)])
        texts = Condition("run_id", Operator.IN, ["r00", "r01", *(f"none{n}" for n in range(50_000))])
        none = Condition("id", Operator.NOT_IN, [*keys[5:], *range(10_000_000, 10_050_000)])
        for conditions, expected in (((many,), keys[:5]), ((texts,), keys[:2]), ((none,), keys[:5])):
            assert [
                int(row[0]) for row in read_page(tx, RUNS, PageQuery(conditions, (SortKey("id"),), 100)).rows
            ] == expected
            assert count_rows(tx, "run_pages.count", conditions, 100) == len(expected)


def test_what_is_none_of_some_values_may_be_unknown(world: World) -> None:
    _fill(world)
    with world.db.read() as tx:
        whole = read_page(tx, RUNS, PageQuery((), (SortKey("id"),), 1000))
        ended = [Condition("end_date", Operator.NOT_IN, [None])]
        unended = count_rows(tx, "run_pages.count", (), 1000) - count_rows(tx, "run_pages.count", ended, 1000)
        assert unended > 0
        assert count_rows(tx, "run_pages.count", [Condition("end_date", Operator.NOT_IN, [0])], 1000) == len(whole.rows)
        assert count_rows(tx, "run_pages.count", [Condition("run_id", Operator.MATCHES_NOT, ["R0"])], 1000) == len(
            whole.rows
        ) - count_rows(tx, "run_pages.count", [Condition("run_id", Operator.MATCHES, ["r0"])], 1000)


@pytest.mark.parametrize("estimated", [0, 1_000])
def test_tallies_give_the_totals_and_keep_the_rows(
    world: World, monkeypatch: pytest.MonkeyPatch, estimated: int
) -> None:
    for module in (listing_clauses, run_conditions):
        monkeypatch.setattr(module, "ESTIMATED_VALUES_MAX", estimated)
    monkeypatch.setattr(run_conditions, "FEW_RUNS", 8_000 if estimated else 0)
    _fill(world)
    order = (SortKey("run_after"), SortKey("id"))
    with world.db.read() as tx:
        dag_pk, *_ = [row[0] for row in tx.all("dag_pages.all_versions")]
        dag_id = tx.all("dags.list")[0][1]
        for conditions in (
            [],
            [Condition("dag_pk", Operator.EQUAL, dag_pk)],
            [Condition("dag_id", Operator.STARTS_WITH, [dag_id])],
            [Condition("dag_pk", Operator.IN, [dag_pk]), Condition("state", Operator.IN, [1, 2])],
            [Condition("state", Operator.IN, [101])],
        ):
            tallied = tally_conditions(tx, resolve_dags(tx, conditions), order)
            whole = read_page(tx, RUNS, PageQuery(tuple(conditions), order, 1000)).rows
            assert tallied.total == len(whole)
            assert (
                read_page(tx, RUNS, PageQuery(tuple(tallied.conditions), order, 1000, is_short=tallied.is_short)).rows
                == whole
            )


@pytest.mark.parametrize("operator", [Operator.AT_LEAST, Operator.MORE, Operator.AT_MOST, Operator.LESS])
@pytest.mark.parametrize(
    ("field", "column", "value"),
    [
        ("run_after", "run_after", 105),
        ("logical_date", "logical_at", 60),
        ("start_date", "started_at", 1005),
        ("end_date", "ended_at", 5004),
        ("updated_at", "COALESCE(ended_at, started_at, queued_at)", 1007),
    ],
)
def test_runs_of_a_range_of_times_are_counted_in_the_order_of_the_index(
    world: World, monkeypatch: pytest.MonkeyPatch, field: str, column: str, value: int, operator: Operator
) -> None:
    _fill(world)
    texts: list[str] = []
    execute = Transaction.all_of

    def note(tx: Transaction, statement: Statement, parameters: dict[str, object]) -> list[Row]:
        texts.append(statement.text)
        return execute(tx, statement, parameters)

    with world.db.read() as tx:
        expected = int(raw(tx, f"SELECT count(*) FROM dag_run WHERE {column} {operator.value} {value}")[0][0])  # type: ignore[call-overload]
        monkeypatch.setattr(Transaction, "all_of", note)
        assert count_runs(tx, [Condition(field, operator, value)], 100) == expected > 3
        assert count_runs(tx, [Condition(field, operator, value)], 3) == 3
        assert (
            count_runs(tx, [Condition(field, operator, value), Condition("dag_pk", Operator.EQUAL, 1)], 100) < expected
        )
    descends = " DESC" if operator in (Operator.AT_MOST, Operator.LESS) else ""
    assert [f"{descends} LIMIT" in text and "ORDER BY" in text for text in texts] == [
        tx.dialect == "postgresql"
    ] * 2 + [False]
