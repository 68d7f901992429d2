"""Fills an empty store with history in bulk: DAGs with runs, task instances, XComs, questions, backfills and an audit log, some of it unfinished.

Most runs succeeded, 1 of 50 failed, and 1 of 20 DAGs has an unfinished newest run. Half of the DAGs run at midnight, so many runs have
the same times. `grid_1000` has 1,000 tasks and 25 runs. Three accounts: `admin`, `few` (roles on 3 ids and 1 tag), `half` (on half of the DAGs).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg

from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.instants import SECOND
from gnomon.model.records import WorkerRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, ParseFailure, TaskSpec
from gnomon.queries.accounts.api_tokens import create_token
from gnomon.storage.store import Database, migrations
from gnomon.storage.store.accounts import account_rows
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.admin import connections, pools, variables
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.parsed_files import dag_files

DAY = 86_400 * SECOND
END = 1_767_225_600 * SECOND
"""2026-01-01, when the newest runs are due."""
TASKS = 10
GRID_DAG, GRID_TASKS, GRID_RUNS = "grid_1000", 1000, 25
TEAMS = 50
DAGS_A_FILE = 10


@dataclass(frozen=True, slots=True)
class HistorySize:
    """How much history there is; every run has TASKS task instances."""

    dags: int
    runs: int
    grid_runs: int = GRID_RUNS
    """The number of runs of GRID_DAG, each of GRID_TASKS task instances."""

    @property
    def runs_each(self) -> int:
        """The number of runs of a DAG."""
        return self.runs // self.dags

    def __str__(self) -> str:
        return f"{self.dags:,} DAGs, {self.runs:,} runs, {self.runs * TASKS:,} task instances"


def dag_name(number: int) -> str:
    """The id of the DAG with that number."""
    return f"dag_{number:05d}"


def fill_history(
    database: Database, size: HistorySize, make_dag: Callable[[int], ParsedDag] | None = None
) -> dict[str, str]:
    """Fill the store; returns the token of each account, by its name. `make_dag`: makes the DAG with a number, without a schedule by default."""
    _add_dags(database, size, make_dag or make_plain_dag)
    with open_driver(database.url) as execute:
        for text in _build_statements(size, is_sqlite=database.dialect == "sqlite"):
            execute(text)
    settle(database.url)
    return _add_accounts(database)


@contextmanager
def open_driver(url: str) -> Iterator[Callable[[str], object]]:
    """A connection of the driver itself, which executes text; committed when the block ends."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
            file.execute("PRAGMA synchronous = OFF")
            file.execute("PRAGMA cache_size = -200000")
            yield file.execute
    else:
        with psycopg.connect(parse_address(url).target) as server:
            yield lambda text: server.execute(text.encode())


def settle(url: str) -> None:
    """Do now what a bulk of rows leaves to be done later."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    with psycopg.connect(parse_address(url).target, autocommit=True) as server:
        server.execute("VACUUM ANALYZE")
        server.execute("CHECKPOINT")


@contextmanager
def postgres_database(url: str, name: str, *, is_kept: bool = False) -> Iterator[str]:
    """The address of a new database on the server of this address; dropped afterwards if it is not kept."""
    parts = urlsplit(url)
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        server.execute(f"CREATE DATABASE {name}".encode())
    try:
        query = f"?{parts.query}" if parts.query else ""
        yield f"{parts.scheme}://{parts.netloc}/{name}{query}"
    finally:
        if not is_kept:
            with psycopg.connect(url, autocommit=True) as server:
                server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def _add_dags(database: Database, size: HistorySize, make_dag: Callable[[int], ParsedDag]) -> None:
    dags = [make_dag(number) for number in range(size.dags)]
    files = [
        ParsedFile(
            path=f"/dags/file_{start:05d}.py",
            inputs=FileInputs(input_hash=f"{start}"),
            dags=tuple(dags[start : start + DAGS_A_FILE]),
        )
        for start in range(0, size.dags, DAGS_A_FILE)
    ]
    grid = DagSpec(
        dag_id=GRID_DAG,
        timetable=TimetableRef(path="gnomon.timetables.Null"),
        tasks=tuple(TaskSpec(task_id=f"task_{n:04d}") for n in range(GRID_TASKS)),
    )
    files.append(
        ParsedFile(
            path="/dags/grid.py", inputs=FileInputs(input_hash="grid"), dags=(ParsedDag(spec=grid, spec_hash="grid"),)
        )
    )
    files += [
        ParsedFile(
            path=f"/dags/broken_{n:03d}.py",
            inputs=FileInputs(input_hash=f"broken{n}"),
            failures=(
                ParseFailure(kind="import", message=f"name 'x{n}' is not defined", traceback="Traceback\n" * 20),
            ),
        )
        for n in range(100)
    ]
    for start in range(0, len(files), 100):
        with database.write() as tx:
            dag_files.record_parsed_files(tx, files[start : start + 100], at=END, paused_by_default=False)
    with database.write() as tx:
        leases.register_worker(tx, WorkerRecord("worker-1", "host-1", "127.0.0.1:1", 8, END, lost=False))
        for n in range(50):
            pools.set_pool(tx, f"pool_{n:02d}", 16, description="of a team")
        for n in range(500):
            variables.set_variable(tx, f"variable_{n:03d}", f"value of variable {n}")
        for n in range(200):
            connections.set_connection(
                tx,
                StoredConnection(
                    f"connection_{n:03d}",
                    "postgres",
                    "db.example",
                    "public",
                    "user",
                    f"password-{n}",
                    5432,
                    f'{{"token": "token-{n}"}}',
                ),
            )


def make_plain_dag(number: int) -> ParsedDag:
    """The DAG with that number: ten tasks one after another, two tags, no schedule."""
    spec = DagSpec(
        dag_id=dag_name(number),
        timetable=TimetableRef(path="gnomon.timetables.Null", summary="0 0 * * *"),
        tasks=tuple(
            TaskSpec(task_id=f"task_{n}", operator="PythonOperator", upstream=(f"task_{n - 1}",) if n else ())
            for n in range(TASKS)
        ),
        tags=(f"team_{number % TEAMS}", "even" if number % 2 == 0 else "odd"),
        owner=f"owner_{number % 20}",
        description=f"The DAG number {number}",
    )
    return ParsedDag(spec=spec, spec_hash=f"hash{number}")


def _build_statements(size: HistorySize, *, is_sqlite: bool) -> Iterator[str]:
    """The statements that insert history, in order. Runs are numbered in the order of time, as a scheduler creates them."""
    cross = "CROSS JOIN" if is_sqlite else "JOIN"
    on = "" if is_sqlite else "ON true"

    def series(count: int) -> str:
        if is_sqlite:
            return (
                f"(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
            )
        return f"(SELECT generate_series(1, {count}) AS n)"

    for count, dags in ((size.runs_each, "dag_id LIKE 'dag_%'"), (size.grid_runs, f"dag_id = '{GRID_DAG}'")):
        yield f"""INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after, version_pk,
                state, queued_at, started_at, ended_at)
            SELECT dag_pk, group_no, (CASE kind WHEN 'manual' THEN 'manual__' ELSE 'scheduled__' END) || run_after, 's' || run_after, kind, run_after - {DAY},
                run_after - {DAY}, run_after, run_after, version_pk, state, run_after + 1000,
                CASE WHEN state = 1 THEN NULL ELSE run_after + 1000000 + noise * 1000 END,
                CASE WHEN state < 100 THEN NULL ELSE run_after + 2000000 + noise * 7919 + (noise * 104729) % 600000000 END
            FROM (SELECT dag_pk, group_no, version_pk, {END} - ({count} - n) * {DAY} + (dag_pk % 2) * (dag_pk % 86400) * {SECOND} AS run_after,
                    CASE WHEN (dag_pk + n) % 10 = 0 THEN 'manual' ELSE 'scheduled' END AS kind, (dag_pk * 7919 + n * 104729) % 100003 AS noise,
                    CASE WHEN n = {count} AND dag_pk % 60 = 0 THEN 1 WHEN n = {count} AND dag_pk % 30 = 0 THEN 2
                         WHEN (dag_pk * 31 + n * 17) % 50 = 0 THEN 101 ELSE 100 END AS state
                  FROM {series(count)} AS days {cross} dag {on} WHERE {dags}) AS made
            ORDER BY run_after, dag_pk"""
    yield "INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, state, count(*) FROM dag_run GROUP BY dag_pk, state"
    yield """INSERT INTO newest_run (dag_pk, run_pk, run_after, state, started_at, ended_at) SELECT r.dag_pk, r.run_pk, r.run_after, r.state, r.started_at, r.ended_at FROM dag AS d JOIN dag_run AS r
        ON r.run_pk = (SELECT n.run_pk FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1)"""
    yield """INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool, pool_slots,
            priority, started_at, ended_at, version_pk)
        SELECT run_pk, task_no, -1, state, 1 + CASE WHEN run_pk % 17 = 0 THEN 1 ELSE 0 END, 1, 1, CASE WHEN state = 3 THEN 'a' || run_pk END, CASE WHEN state = 3 THEN 'worker-1' END,
            0, CASE WHEN dag_pk % 100 = 7 THEN 'pool_07' ELSE 'default_pool' END, 1, 1, started_at + task_no * 1000000,
            CASE WHEN state >= 100 THEN started_at + task_no * 1000000 + (run_pk * 7919 + task_no * 104729) % 60000000 END, version_pk
        FROM (SELECT r.run_pk, r.dag_pk, r.started_at, r.version_pk, t.task_no,
                CASE WHEN r.state = 100 THEN CASE WHEN (r.run_pk + t.task_no) % 40 = 0 THEN 102 ELSE 100 END
                     WHEN r.state = 101 THEN CASE WHEN t.task_no < 5 THEN 100 WHEN t.task_no = 5 THEN 101 ELSE 103 END
                     WHEN t.task_no < 3 THEN 100 ELSE 3 END AS state
              FROM dag_run AS r CROSS JOIN task_name AS t WHERE t.dag_pk = r.dag_pk AND (r.state >= 100 OR (r.state = 2 AND t.task_no < 4))) AS made
        ORDER BY run_pk, task_no"""
    yield """INSERT INTO event_log (at, kind, run_pk, by, body)
        SELECT queued_at, 'run_created', run_pk, 'api:user_' || (run_pk % 10), '' FROM dag_run WHERE run_type = 'manual' ORDER BY run_pk"""
    yield """INSERT INTO event_log (at, kind, dag_pk, by, body) SELECT ended_at, 'dag_paused', dag_pk, 'cli:user_1', '' FROM dag_run
        WHERE run_pk % 20 = 3 AND ended_at IS NOT NULL ORDER BY run_pk"""
    yield """INSERT INTO event_log (at, kind, run_pk, by, body)
        SELECT ended_at, 'run_ended', run_pk, 'scheduler', 'success' FROM dag_run WHERE ended_at IS NOT NULL ORDER BY run_pk"""
    yield """INSERT INTO xcom (run_pk, task_no, map_index, key, value) SELECT run_pk, 0, -1, 'return_value', '{"rows": 17, "path": "s3://bucket/key"}'
        FROM dag_run WHERE state >= 100 ORDER BY run_pk"""
    yield """INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at, dag_pk, run_id, run_after, response, responded_at, state)
        SELECT run_pk, 2, -1, 1, 1, '{"subject": "Release ' || run_pk || '?", "options": ["Approve", "Reject"], "body": "Look at it"}', started_at, dag_pk, run_id, run_after,
            CASE WHEN run_pk % 2000 = 0 THEN '{"responded_at": ' || ended_at || ', "chosen_options": ["Approve"], "responded_by": {"id": "u1", "name": "User"}}' END,
            CASE WHEN run_pk % 2000 = 0 THEN ended_at END, (SELECT i.state FROM task_instance AS i WHERE i.run_pk = dag_run.run_pk AND i.task_no = 2 AND i.map_index = -1)
        FROM dag_run WHERE run_pk % 100 = 0 AND state >= 100"""
    yield f"""INSERT INTO backfill (dag_pk, group_no, from_at, to_at, reprocess, max_active_runs, created_at, created_by, slot_count, is_planned, ended_at)
        SELECT dag_pk, group_no, {END} - 10 * {DAY}, {END}, 'none', 4, {END} + n, 'cli:user_1', 10, {"1" if is_sqlite else "true"}, {END} + n + 1
        FROM dag {cross} {series(50)} AS many {on} WHERE dag_id LIKE 'dag_%' AND dag_pk % 100 = 1"""


def _add_accounts(database: Database) -> dict[str, str]:
    grants = {
        "admin": (Role.ADMIN, ()),
        "few": (
            Role.NONE,
            (
                *(Grant(GrantKind.DAG, dag_name(n), Role.VIEWER) for n in (3, 5)),
                Grant(GrantKind.DAG, "dag_0001*", Role.USER),
                Grant(GrantKind.TAG, "team_7", Role.VIEWER),
            ),
        ),
        "half": (Role.NONE, (Grant(GrantKind.TAG, "even", Role.VIEWER),)),
    }
    tokens = {}
    author = Author("bench", END)
    with database.write() as tx:
        for name, (role, of_account) in grants.items():
            account_pk = account_rows.add_account(tx, name, None, role, END)
            assert account_pk is not None
            for grant in of_account:
                account_rows.put_grant(tx, account_pk, grant)
            account = account_rows.get_account(tx, account_pk)
            assert account is not None
            tokens[name] = create_token(
                tx, author, account, "bench", Role.ADMIN if role is Role.ADMIN else Role.VIEWER, None
            )
    return tokens


def create_store(url: str) -> None:
    """Create the schema."""
    migrations.upgrade_schema(url)
