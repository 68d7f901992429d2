"""PostgreSQL away for a while, under a busy standalone: runs go on afterwards, nothing is lost, doubled or shouted."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter

import pytest
from tests.chaos import journal
from tests.chaos.home import home
from tests.chaos.processes import kill, until
from tests.chaos.proxy import Wire
from tests.postgres import own_schema

from gnomon.services.scheduler.settings import RETRY_AWAY_S

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
SHORT_S = 5.0
"""Longer than the time to live of a scheduler."""
LONG_S = float(os.environ.get("CHAOS_AWAY_S", "60"))
DAGS = (
    journal.HEAD
    + """
with DAG("steady", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=3, is_paused_upon_creation=False):
    @task
    def one(ti=None): work(ti, 0.3)
    @task
    def two(ti=None): work(ti, 1.0)
    @task
    def three(ti=None): work(ti, 0.1)
    one() >> two() >> three()
"""
)


def test_postgresql_away_for_some_seconds_loses_and_doubles_nothing() -> None:
    _survive(SHORT_S)


@pytest.mark.soak
def test_postgresql_away_for_a_minute_loses_and_doubles_nothing() -> None:
    _survive(LONG_S)


@pytest.mark.soak
def test_a_worker_without_store_and_scheduler_gives_up_and_starts_anew() -> None:
    """SUBMIT in docs/contributing/ownership.md: its attempts are lost, each recorded once, and the pool slots are free again."""
    with own_schema() as direct:
        wire = Wire(direct)
        with home(wire.url) as here:
            here.dag_file("steady", DAGS)
            here.start()
            until(lambda: len(journal.starts(here)) >= 5, "tasks that run")
            wire.cut()
            kill(here.one("scheduler"))
            until(lambda: here.events("incarnation_given_up"), "the worker to give up")
            wire.mend()
            mended = time.time()
            until(lambda: any(note.at > mended for note in journal.starts(here)), "a task after the return")
            print(f"the next task began {journal.starts(here)[-1].at - mended:.1f} s after the return")
            here.finish("steady", DAGS)
            assert journal.audit(here, retries=0) == []
            assert here.cli("pools", "list", "-o", "json").returncode == 0
            here.stop()
            assert "Traceback" not in here.said(), here.said()
        wire.cut()


def _survive(away_s: float) -> None:
    with own_schema() as direct:
        wire = Wire(direct)
        with home(wire.url) as here:
            here.dag_file("steady", DAGS)
            here.start()
            until(lambda: len(journal.starts(here)) >= 5, "tasks that run")
            processes = {role: here.pids(role) for role in ("scheduler", "worker", "supervisor")}
            wire.cut()
            cut = time.time()
            time.sleep(away_s)
            asked = time.monotonic()
            said = here.cli("dags", "list")
            assert said.returncode == 1
            assert "Traceback" not in said.stderr
            assert "PostgreSQL does not answer" in said.stderr
            print(f"a command says after {time.monotonic() - asked:.1f} s: {said.stderr.strip()}")
            mended = time.time()
            wire.mend()
            until(lambda: any(note.at > mended for note in journal.starts(here)), "a task after the return")
            resumed_s = min(note.at for note in journal.starts(here) if note.at > mended) - mended
            here.finish("steady", DAGS)
            found = journal.audit(here, retries=0)
            states = Counter(attempt.state for attempt in here.records([run.run_pk for _, run in here.runs()])[1])
            kept = {role: here.pids(role) for role in ("scheduler", "worker", "supervisor")}
            took = here.stop()
            wire.cut()
            print(
                f"away {away_s:g} s, the next task began {resumed_s:.1f} s after the return; {dict(states)}; the end took {took:.1f} s"
            )
            assert found == []
            assert set(states) == {"success"}, "a task was lost"
            assert kept == processes, "a service died of it"
            assert "Traceback" not in here.said(), here.said()
            assert here.events("store_away") or here.events("database_unavailable") or here.events("commit_refused")
            refused = len(here.events("commit_refused"))
            assert refused < 10 + (mended - cut) / RETRY_AWAY_S, "the scheduler asked again at once, over and over"
