"""Every statement is understood by both databases, and none of the hot path reads history."""

from __future__ import annotations

import re

import pytest
from tests.conformance.storeworld import World, attempt, raw, task

from gnomon.model.records import Changes
from gnomon.store import Database
from gnomon.store.statements import Statement, load_statements

HOT = (
    "leases.prove", "leases.beat_scheduler", "leases.silent_schedulers", "leases.owned_groups", "mail.take", "mail.send",
    "mail.remove", "load.dags_of_groups", "load.dags", "load.task_numbers", "load.unfinished_runs", "load.run",
    "load.newest_ended", "load.ended_before", "load.tasks", "load.versions", "commit.run", "commit.task", "commit.attempt",
    "commit.xcom_clear", "commit.xcom", "commit.pool", "commit.tally", "commit.event", "commit.answer", "commit.plan",
    "commit.plan_run", "runs.holder", "runs.holder_of_id", "runs.find", "runs.add", "tasks.states", "tasks.attempts",
    "tasks.attempts_of_instance", "xcoms.of_task", "xcoms.of_key", "xcoms.of_run", "xcoms.runs_back_from", "runs.list",
    "removal.tasks", "removal.attempts", "removal.xcoms", "removal.runs", "removal.tally", "removal.ended_runs", "runs.before",
    "runs.unfinished", "runs.newest", "triggers.news", "triggers.claim", "triggers.claimed", "triggers.paused_dags", "triggers.suspend",
    "triggers.sent", "triggers.ended", "triggers.standing", "triggerers.give_up_triggers",
    "triggerers.give_up_notes", "waits.note", "waits.remove", "waits.fire", "waits.of_runs", "removal.trigger_notes",
    "removal.triggers", "removal.waits", "run_waits.put", "run_waits.remove_edge", "run_waits.of_runs", "run_waits.open_of_groups",
    "run_waits.asking", "run_waits.downstream", "upstream.find", "upstream.slots", "upstream.slots_before", "upstream.dags",
    "upstream.runs", "upstream.tasks", "commit.stand",
)
HISTORY = ("dag_run", "task_instance", "attempt", "xcom", "event_log", "dag_version", "trigger", "trigger_end", "run_wait")
PARTIAL = ("dag_run_unfinished", "trigger_unclaimed")
"""Indexes that hold only what is still to be done, which these statements walk from its beginning."""
_PARAMETER = re.compile(r":[a-z_]+")


def test_every_statement_is_understood(db: Database) -> None:
    for statement in load_statements(db.dialect).values():
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
    scanned = [step for step in steps if step.startswith("SCAN ") and by_alias.get(step.split()[1], step.split()[1]) in HISTORY]
    assert [step for step in scanned if not step.endswith(PARTIAL)] == [], steps


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A SQLite database with rows, and with the statistics that a planner could be misled by."""
    from gnomon.store import migrations, open_database

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
    statement = load_statements("sqlite")["load.unfinished_runs"].text.replace(":groups", "'[1,2]'")
    with history.db.read() as tx:
        steps = " ".join(str(row[3]) for row in raw(tx, f"EXPLAIN QUERY PLAN {statement}"))
    assert "USING INDEX dag_run_unfinished" in steps
