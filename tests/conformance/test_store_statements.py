"""Every statement is understood by both databases, and none of the hot path reads history."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.conformance.storeworld import World, attempt, raw, task

from gnomon.model.records import Changes
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.pages.hitl_pages import read_hitl_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_conditions import tally_conditions
from gnomon.storage.store.pages.run_pages import count_runs, read_run_page
from gnomon.storage.store.pages.task_instance_pages import (
    count_task_instances,
    plan_task_instance_walk,
    read_task_instance_page,
)
from gnomon.storage.store.statements import Statement, load_statements

HOT = (
    "leases.prove",
    "leases.beat_scheduler",
    "leases.silent_schedulers",
    "leases.owned_groups",
    "mailbox.read",
    "mailbox.send",
    "mailbox.remove",
    "group_state.dags_of_groups",
    "group_state.dags",
    "group_state.task_numbers",
    "group_state.unfinished_runs",
    "group_state.run",
    "group_state.newest_ended_run",
    "group_state.ended_run_before",
    "group_state.task_instances",
    "group_state.specs",
    "commit.runs",
    "commit.task_instances",
    "commit.attempts",
    "commit.delete_xcoms",
    "commit.xcoms",
    "commit.pool_slots",
    "commit.tallies",
    "commit.events",
    "commit.answer_request",
    "commit.move_cursor",
    "commit.insert_planned_run",
    "dag_runs.slot_holder",
    "dag_runs.run_id_holder",
    "dag_runs.find",
    "dag_runs.add",
    "dag_runs.task_instances",
    "dag_runs.attempts",
    "dag_runs.attempts_of_task_instance",
    "xcom_values.of_task",
    "xcom_values.of_task_indexes",
    "xcom_values.batch_of_task",
    "xcom_values.count_of_task",
    "xcom_values.of_key",
    "xcom_values.of_run",
    "xcom_values.runs_until",
    "dag_runs.list",
    "removal.task_instances",
    "removal.attempts",
    "removal.xcoms",
    "removal.runs",
    "removal.count_runs_off",
    "removal.ended_runs",
    "dag_runs.before",
    "dag_runs.unfinished",
    "dag_runs.newest",
    "trigger_claims.pending_work",
    "trigger_claims.claim",
    "trigger_claims.find_claimed",
    "trigger_claims.paused_dags",
    "trigger_claims.release",
    "trigger_claims.mark_sent",
    "trigger_claims.take_cancelled",
    "trigger_claims.deferral_status",
    "triggerer_leases.release_triggers",
    "triggerer_leases.remove_cancelled",
    "deferrals.end_triggers",
    "deferrals.remove",
    "deferrals.set_result",
    "deferrals.of_runs",
    "removal.end_triggers",
    "removal.triggers",
    "removal.run_waits",
    "run_waits.put",
    "run_waits.remove_edge",
    "run_waits.of_runs",
    "run_waits.open_of_groups",
    "run_waits.open_on_slot",
    "run_waits.waiting_runs",
    "run_waits.downstream_runs",
    "upstream_dags.find",
    "upstream_dags.slots",
    "upstream_dags.slots_before",
    "upstream_dags.planning_progress",
    "upstream_dags.runs_of_slots",
    "upstream_dags.task_states",
    "commit.set_stands_for",
    "dag_runs.list_since",
    "dag_runs.ended_of_all",
    "dag_runs.since_of_all",
    "dag_runs.unfinished_of_all",
    "dag_runs.unfinished_of_dags",
    "dag_runs.task_states_of_runs",
    "dag_runs.state_lines_of_runs",
    "dag_runs.line_numbers_of_runs",
    "dag_runs.mapped_states_of_runs",
    "dag_runs.task_instances_of_task",
    "dag_runs.success_durations_of_dags",
    "dag_runs.live_task_instances",
    "completion.runs",
    "xcom_values.remove",
    "xcom_values.lock_finished_task_instance",
)
HISTORY = (
    "dag_run",
    "task_instance",
    "attempt",
    "xcom",
    "event_log",
    "dag_version",
    "trigger",
    "trigger_end",
    "run_wait",
    "hitl_detail",
)
PARTIAL = ("dag_run_unfinished", "trigger_unclaimed")
"""Indexes that hold only what is still to be done, which these statements walk from its beginning."""
_PARAMETER = re.compile(r":[a-z_][a-z_0-9]*")


def test_every_statement_is_understood(db: Database) -> None:
    for found in load_statements(db.dialect).values():
        order = next(iter(found.fields.values())).expression if found.fields else ""
        text = (
            found.text.replace("{keys}", "")
            .replace("{joins}", " ".join(clause for _, clause in found.joins))
            .replace("{order_joins}", "")
            .replace("{conditions}", "1 = 1")
        )
        text = text.replace("ORDER BY {order}", f"ORDER BY {order}").replace(
            "{order}", f"ORDER BY {order}"
        )  # a count has an order in some cases
        statement = replace(found, text=text)  # a listing, as `store.pages` completes it
        if db.dialect == "sqlite":
            parameters = {name[1:]: None for name in _PARAMETER.findall(statement.text)}
            with db.read() as tx:
                connection = tx._connection._connection
                bound = [None] * len(statement.columns) if statement.columns else parameters
                connection.execute(f"EXPLAIN {statement.text}", bound)
        else:
            with db.write() as tx:
                assert raw_pg(tx._connection._connection, statement) is not None


def raw_pg(connection: object, statement: Statement) -> object:
    """Prepared as the driver would; nothing is executed."""
    text = re.sub(r"%\(\w+\)s", "NULL", statement.text).replace("%%", "%")
    return connection.execute(f"EXPLAIN {text}").fetchall()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", HOT)
def test_no_statement_of_the_hot_path_scans_history(history: World, name: str) -> None:
    statement = load_statements("sqlite")[name]
    with history.db.read() as tx:
        connection = tx._connection._connection
        bound: object = {parameter[1:]: None for parameter in _PARAMETER.findall(statement.text)}
        if statement.columns:
            bound = [None] * len(statement.columns)
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", bound)]
    aliases = dict(re.findall(r"(?:FROM|JOIN) (\w+) AS (\w)\b", statement.text))
    by_alias = {alias: table for table, alias in aliases.items()}
    scanned = [
        step for step in steps if step.startswith("SCAN ") and by_alias.get(step.split()[1], step.split()[1]) in HISTORY
    ]
    assert [step for step in scanned if not step.endswith(PARTIAL)] == [], steps


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A SQLite database with rows, and with the statistics that a planner could be misled by."""
    from gnomon.storage.store import migrations, open_database

    url = f"sqlite:///{tmp_path_factory.mktemp('history') / 'gnomon.db'}"
    migrations.upgrade_schema(url)
    db = open_database(url)
    world = World(db)
    world.dag()
    for n in range(20):
        run = world.run(run_id=f"r{n}")
        world.apply(Changes(tasks=[task(run), task(run, 1)], attempts=[attempt(run)]))
    return world


def test_the_last_statement_of_a_read_is_answered_from_the_partial_index(history: World) -> None:
    statement = load_statements("sqlite")["group_state.unfinished_runs"].text.replace(":groups", "'[1,2]'")
    with history.db.read() as tx:
        steps = " ".join(str(row[3]) for row in raw(tx, f"EXPLAIN QUERY PLAN {statement}"))
    assert "USING INDEX dag_run_unfinished" in steps


FAILED = Condition("state", Operator.IN, [101])
OF_DAGS = Condition("dag_pk", Operator.IN, list(range(1, 40)))
ENDED = Condition("end_date", Operator.AT_LEAST, 1)


def read_plans(history: World, act: Callable[[Transaction], object]) -> list[str]:
    """The plan of each statement of a listing that the function executes, its steps in one text."""
    with history.db.read() as tx:
        connection = tx._connection._connection
        executed: list[str] = []
        connection.set_trace_callback(executed.append)
        try:
            act(tx)
        finally:
            connection.set_trace_callback(None)
        return [
            "; ".join(str(row[3]) for row in raw(tx, f"EXPLAIN QUERY PLAN {text}"))
            for text in executed
            if "AS found" in text
        ]


def list_failed_runs(tx: Transaction, conditions: tuple[Condition, ...], field: str) -> None:
    tallied = tally_conditions(tx, conditions, (SortKey(field, descends=True), SortKey("id", descends=True)))
    assert tallied.is_ordered
    count_runs(tx, tallied.conditions, 100)
    read_run_page(tx, PageQuery(tallied.in_order or (), tallied.order, 10))


@pytest.mark.parametrize(
    "conditions",
    [
        (FAILED,),
        (FAILED, OF_DAGS),
        (FAILED, ENDED),
        (FAILED, OF_DAGS, ENDED),
        (FAILED, Condition("run_type", Operator.IN, ["manual"])),
    ],
)
def test_failed_runs_in_the_order_of_run_after_are_read_from_their_index(
    history: World, conditions: tuple[Condition, ...]
) -> None:
    count, page = read_plans(history, lambda tx: list_failed_runs(tx, conditions, "run_after"))
    assert ("dag_run_ended (state=? AND ended_at>?)" if ENDED in conditions else "dag_run_failed") in count
    assert "SCAN r USING INDEX dag_run_failed" in page


def test_failed_runs_in_the_order_of_their_end_are_read_from_the_index_over_it(history: World) -> None:
    for plan in read_plans(history, lambda tx: list_failed_runs(tx, (FAILED, ENDED), "end_date")):
        assert "SEARCH r USING COVERING INDEX dag_run_ended (state=? AND ended_at>?)" in plan


@pytest.mark.parametrize("condition", [Condition("pool", Operator.IN, ["other"]), ENDED])
def test_failed_task_instances_by_pool_or_end_are_found_in_the_index_over_their_state(
    history: World, condition: Condition
) -> None:
    order = tuple(SortKey(field) for field in ("run_pk", "task_no", "map_index"))
    conditions = (FAILED, condition)

    def act(tx: Transaction) -> None:
        assert plan_task_instance_walk(tx, conditions, order) is None
        count_task_instances(tx, conditions, 100)
        read_task_instance_page(tx, PageQuery(conditions, order, 10))

    for plan in read_plans(history, act):
        assert "SEARCH i USING COVERING INDEX task_instance_not_successful (state=?)" in plan


@pytest.mark.parametrize("has_few", [False, True])
def test_failed_task_instances_of_some_dags_are_read_in_the_order_of_their_index(history: World, has_few: bool) -> None:
    order = tuple(SortKey(field) for field in ("run_pk", "task_no", "map_index"))
    conditions = (FAILED, replace(OF_DAGS, is_dense=True, has_few_members=has_few))
    for plan in read_plans(
        history,
        lambda tx: (
            count_task_instances(tx, conditions, 100),
            read_task_instance_page(tx, PageQuery(conditions, order, 10)),
        ),
    ):
        assert "i USING COVERING INDEX task_instance_not_successful (state=?)" in plan
        assert ("LIST SUBQUERY" in plan and "u USING COVERING INDEX dag_run_order" in plan) is has_few
        assert "TEMP B-TREE FOR ORDER BY" not in plan.partition("found")[0]


def test_failed_task_instances_of_few_runs_are_found_in_the_index_over_their_state(history: World) -> None:
    order = tuple(SortKey(field) for field in ("run_pk", "task_no", "map_index"))
    conditions = (FAILED, OF_DAGS)
    for plan in read_plans(
        history,
        lambda tx: (
            count_task_instances(tx, conditions, 100),
            read_task_instance_page(tx, PageQuery(conditions, order, 10, is_short=True)),
        ),
    ):
        assert "i USING COVERING INDEX task_instance_not_successful (state=? AND run_pk=?)" in plan


def test_unfinished_runs_of_some_dags_are_read_from_their_partial_index(history: World) -> None:
    statement = (
        load_statements("sqlite")["dag_runs.unfinished_of_dags"].text.replace(":dag_ids", "'[]'").replace(":limit", "5")
    )
    with history.db.read() as tx:
        steps = " ".join(str(row[3]) for row in raw(tx, f"EXPLAIN QUERY PLAN {statement}"))
    assert steps.startswith("SCAN r USING INDEX dag_run_unfinished")


def test_a_page_of_questions_joins_task_instances_only_where_its_order_needs_them(history: World) -> None:
    by_key = (SortKey("run_pk"), SortKey("task_no"), SortKey("map_index"))
    (by_state,) = read_plans(history, lambda tx: read_hitl_page(tx, PageQuery((FAILED,), (SortKey("state"), *by_key))))
    by_index = read_plans(
        history, lambda tx: read_hitl_page(tx, PageQuery((), (SortKey("rendered_map_index"), *by_key)))
    )
    assert " m USING" not in by_state
    assert [plan.count(" m USING") for plan in by_index] == [2, 2]


@pytest.mark.parametrize(
    ("field", "index"),
    [
        ("run_after", "hitl_detail_run_after"),
        ("run_id", "hitl_detail_run_id"),
        ("created_at", "hitl_detail_created"),
        ("responded_at", "hitl_detail_responded"),
        ("state", "hitl_detail_state"),
    ],
)
def test_questions_in_the_order_of_their_times_run_ids_and_states_are_read_from_an_index(
    history: World, field: str, index: str
) -> None:
    order = tuple(SortKey(name, descends=True) for name in (field, "run_pk", "task_no", "map_index"))
    for plan in read_plans(history, lambda tx: read_hitl_page(tx, PageQuery((), order))):
        assert f"h USING COVERING INDEX {index}" in plan or f"h USING INDEX {index}" in plan
        assert " r USING" not in plan and "TEMP B-TREE FOR ORDER BY" not in plan.partition("found")[0]
