"""What happens to a PostgreSQL server in its life, under a busy standalone: nothing is lost, nothing is doubled, and the log of the service says it."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.patience import PATIENCE_S
from tests.postgres import OwnServer, own_server

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
ADDRESS = "127.0.0.1"
SHORT_S = 10.0
"""Longer than the 8 s for which a statement waits for a lock."""
LONG_S = float(os.environ.get("CHAOS_LOCK_S", "60"))
END_S = 2 * PATIENCE_S
RESTARTS = 8
SERVICES = ("scheduler", "worker", "supervisor")
SAYS = ("store_away", "database_unavailable", "commit_refused")
"""The events of services that could not use the database."""
DAGS = (
    journal.HEAD
    + """
with DAG("steady", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=3, is_paused_upon_creation=False):
    @task
    def one(ti=None):
        work(ti, 0.3)
        return "an XCom"
    @task
    def two(ti=None): work(ti, 1.0)
    @task
    def three(ti=None): work(ti, 0.1)
    one() >> two() >> three()
"""
)
spans = pytest.mark.parametrize("span_s", [SHORT_S, pytest.param(LONG_S, marks=pytest.mark.soak)])


@pytest.mark.parametrize("restarts", [2, pytest.param(RESTARTS, marks=pytest.mark.soak)])
def test_a_server_that_is_restarted_loses_and_doubles_nothing(restarts: int) -> None:
    def restart(here: Home) -> None:
        for number in range(restarts):
            (server.kill if number % 2 else server.stop)()
            server.start()
            _wait_for_tasks(here)

    with own_server(ADDRESS) as server:
        said = _survive(server.at("postgres"), restart)
        assert "PostgreSQL" in said


@pytest.mark.parametrize("failovers", [1, pytest.param(4, marks=pytest.mark.soak)])
def test_a_standby_that_is_promoted_has_every_commit(failovers: int) -> None:
    """With synchronous replication, and an address that names both servers."""
    synchronous = ("synchronous_standby_names='*'", "synchronous_commit=on")
    for _ in range(failovers):
        with own_server(ADDRESS, synchronous) as primary, own_server(ADDRESS, primary=primary) as standby:
            url = f"postgresql://root@{ADDRESS}:{primary.port},{ADDRESS}:{standby.port}/postgres?target_session_attrs=read-write"

            def fail_over(here: Home, primary: OwnServer = primary, standby: OwnServer = standby) -> None:
                primary.kill()
                standby.promote()

            said = _survive(url, fail_over)
            assert "PostgreSQL" in said


@spans
def test_a_server_without_a_free_connection_loses_and_doubles_nothing(span_s: float) -> None:
    """Every session of Gnomon is ended, and somebody else has the connections, for a while."""

    def use_up(here: Home) -> None:
        with _all_connections(server):
            ends_at = time.monotonic() + span_s
            said = here.cli("dags", "list")
            assert said.returncode == 1
            assert "Traceback" not in said.stderr
            assert "too many clients" in said.stderr
            time.sleep(max(0.0, ends_at - time.monotonic()))

    with own_server(ADDRESS, ["max_connections=40", "superuser_reserved_connections=0"]) as server:
        said = _survive(server.at("postgres"), use_up)
        assert "too many clients" in said


@spans
def test_vacuum_full_of_every_table_over_and_over_loses_and_doubles_nothing(span_s: float) -> None:
    def vacuum(here: Home) -> None:
        ends_at = time.monotonic() + span_s
        while time.monotonic() < ends_at:
            _execute_alone(server.url, "VACUUM FULL")

    with own_server(ADDRESS) as server:
        _survive(server.at("postgres"), vacuum)


@pytest.mark.parametrize(
    ("tables", "span_s"),
    [
        ("task_instance, dag_run, attempt", SHORT_S),
        *(
            pytest.param(names, LONG_S, marks=pytest.mark.soak)
            for names in (
                "task_instance, dag_run, attempt",
                "mail",
                "worker",
                "scheduler, dag_group",
                "pool, dag, dag_version",
                "xcom, variable, connection",
            )
        ),
    ],
)
def test_tables_that_are_locked_lose_and_double_nothing(tables: str, span_s: float) -> None:
    def lock(here: Home) -> None:
        with psycopg.connect(server.url) as connection:
            connection.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE".encode())
            time.sleep(span_s)

    with own_server(ADDRESS) as server:
        said = _survive(server.at("postgres"), lock)
        assert "lock timeout" in said


@pytest.mark.soak
@pytest.mark.parametrize("span_s", [21.0, 24.0, 27.0])
def test_workers_that_cannot_write_their_heartbeats_are_not_lost_when_they_can_again(span_s: float) -> None:
    """The table can be read meanwhile: schedulers see workers without heartbeats."""

    def lock(here: Home) -> None:
        with psycopg.connect(server.url) as connection:
            connection.execute("LOCK TABLE worker IN SHARE ROW EXCLUSIVE MODE")
            time.sleep(span_s)

    with own_server(ADDRESS) as server:
        _survive(server.at("postgres"), lock)


def _survive(url: str, trouble: Callable[[Home], None]) -> str:
    """A standalone on this database works before, through and after the trouble; returns what its services said."""
    with home(url) as here:
        here.dag_file("steady", DAGS)
        here.start()
        until(lambda: len(journal.starts(here)) >= 5, "tasks that run")
        processes = {role: here.pids(role) for role in SERVICES}
        trouble(here)
        over = time.time()
        _wait_for_tasks(here)
        resumed_s = min(note.at for note in journal.starts(here) if note.at > over) - over
        here.finish("steady", DAGS, END_S)
        found = journal.audit(here, retries=0)
        attempts = here.records([run.run_pk for _, run in here.runs()])[1]
        states = Counter(attempt.state for attempt in attempts)
        kept = {role: here.pids(role) for role in SERVICES}
        here.stop()
        said = here.said()
        print(
            f"the next task began {resumed_s:.1f} s after the trouble; {dict(states)}; {dict(Counter({name: len(here.events(name)) for name in SAYS}))}"
        )
        assert found == []
        assert set(states) == {"success"}, {attempt.reason for attempt in attempts if attempt.state != "success"}
        assert kept == processes, "a service died of it"
        assert "Traceback" not in said, said[max(0, said.index("Traceback") - 2000) :][:6000]
        return said


def _wait_for_tasks(here: Home) -> None:
    asked = time.time()
    until(lambda: any(note.at > asked for note in journal.starts(here)), "a task that begins", END_S)


@contextmanager
def _all_connections(server: OwnServer) -> Iterator[None]:
    """Sessions of the test take every connection of the server."""
    taken: list[psycopg.Connection] = []
    try:
        with psycopg.connect(server.url, autocommit=True) as own:
            while own.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gnomon'").fetchone() != (
                0,
            ) or _take(server, taken):
                own.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gnomon'")
                while _take(server, taken):
                    continue
            yield
    finally:
        for connection in taken:
            connection.close()


def _take(server: OwnServer, taken: list[psycopg.Connection]) -> bool:
    try:
        taken.append(psycopg.connect(server.url))
    except psycopg.OperationalError:
        return False
    return True


def _execute_alone(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())
