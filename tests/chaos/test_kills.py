"""Kill -9 at random moments, of everything that Gnomon starts: nothing is lost, nothing runs twice, nothing gets stuck.

With mapped tasks, assets, a backfill and callbacks (authored_work.py).
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter, defaultdict
from functools import partial

import pytest
from tests.chaos import authored_work, journal
from tests.chaos.home import Home, home
from tests.chaos.processes import kill, of_home, until
from tests.patience import PATIENCE_S
from tests.postgres import own_schema

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
EVERYTHING = "everything"
"""All processes of the home at once, as when the power fails."""
SEED = int(os.environ.get("CHAOS_SEED", "20261121"))
ROLES = (
    "scheduler",
    "worker",
    "file zygote and base zygote",
    "file zygote",
    "task child",
    "parse child",
    "dag-processor",
    "supervisor",
    "scheduler and worker",
    EVERYTHING,
    "api-server",
    "parse server",
)
"""A base zygote that was killed is started again with the next file zygote, so that one of these is killed first."""
RETRIES = 50
"""More than one task can meet kills."""
STUCK_S = 2 * PATIENCE_S
"""A bound on the end of the runs that are under way, not an expectation."""
DAGS = (
    journal.HEAD
    + f"""
with DAG("retried", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=3, is_paused_upon_creation=False,
         default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(seconds=0.2)}}):
    @task
    def first(ti=None): work(ti, 0.2)
    @task
    def wide(n, ti=None): work(ti, 0.1 * n)
    @task
    def last(ti=None): work(ti, 0.05)
    first() >> [wide.override(task_id=f"wide_{{n}}")(n) for n in range(4)] >> last()

with DAG("once", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False):
    @task
    def one(ti=None): work(ti, 0.4)
    @task
    def two(ti=None): work(ti, 0.0)
    one() >> two()
"""
    + authored_work.WORK
)
OTHER_CHILDREN = f"""
with DAG("reused", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False,
         attempts_per_child=20, default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(0)}}):
    @task
    def short(n, ti=None): work(ti, 0.05 * n)
    [short.override(task_id=f"short_{{n}}")(n) for n in range(12)]

with DAG("fresh", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=1, is_paused_upon_creation=False,
         fresh_import=True, default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(0)}}):
    @task
    def anew(ti=None): work(ti, 0.3)
    anew()
"""
"""Tasks in children that are used again, and in new interpreters."""
LOOKS_FURTHER = """
import socket, time
from airflow.sdk import DAG
socket.getaddrinfo("127.0.0.1", 80)
time.sleep(0.6)
with DAG("looks_further", schedule=None):
    pass
"""
"""A file that must be parsed again every second, so that there is a parse child to kill."""


def test_five_kills_lose_nothing_and_double_nothing() -> None:
    _survive(random.Random(SEED), ["worker", "scheduler", "file zygote", "task child", EVERYTHING], pause_s=(0.3, 1.2))


@pytest.mark.soak
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_fifty_kills_lose_nothing_and_double_nothing(database: str) -> None:
    rng = random.Random(SEED)
    kills = int(os.environ.get("CHAOS_KILLS", "50"))
    victims = [ROLES[n % len(ROLES)] for n in range(kills)]
    rng.shuffle(victims)
    if database == "sqlite":
        _survive(rng, victims, pause_s=(0.2, 4.0), work=DAGS + OTHER_CHILDREN)
    else:
        with own_schema() as url:
            _survive(rng, victims, pause_s=(0.2, 4.0), work=DAGS + OTHER_CHILDREN, url=url)


def _survive(
    rng: random.Random, victims: list[str], pause_s: tuple[float, float], work: str = DAGS, url: str | None = None
) -> None:
    print(f"CHAOS_SEED={SEED}, {len(victims)} kills")
    with home(url, {"GNOMON__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "1"}) as here:
        here.dag_file("work", work)
        here.dag_file("looks_further", LOOKS_FURTHER)
        here.start()
        until(lambda: journal.starts(here, "retried") and journal.starts(here, "once"), "the first tasks")
        authored_work.begin(here)
        outages: dict[str, list[float]] = defaultdict(list)
        for victim in victims:
            time.sleep(rng.uniform(*pause_s))
            outages[victim].append(_kill_one(here, victim, rng))
        here.finish("work", work, STUCK_S)
        authored_work.wait_for_end(here, STUCK_S)
        found = [*journal.audit(here, RETRIES), *authored_work.audit(here, len(victims))]
        ended = Counter(str(run.state) for _, run in here.runs())
        attempts = Counter(attempt.state for attempt in here.records([run.run_pk for _, run in here.runs()])[1])
        took = here.stop()
        print(
            {role: f"{max(times):.1f} s at most until the next task began" for role, times in sorted(outages.items())}
        )
        print(
            f"runs {dict(ended)}, attempts {dict(attempts)}, {len(journal.read(here))} notes, the end took {took:.1f} s"
        )
        assert not found, "\n".join(found)
        assert ended["success"] > 0
        assert "Traceback" not in here.said(), here.said()


def _kill_one(here: Home, victim: str, rng: random.Random) -> float:
    """One process of the kind is killed; returns how long it took until a task started after that."""
    if victim == EVERYTHING:
        for pid in _shuffled(list(of_home(here.folder)), rng):
            kill(pid)
    else:
        for role in victim.split(" and "):
            until(partial(_kill_any, here, role, rng), f"a {role} to kill")
    killed = time.time()
    if victim in ("supervisor", EVERYTHING):
        here.bury()
        here.start()
    until(
        lambda: any(note.at > killed for note in journal.starts(here)[-50:]),
        f"a task that starts after the {victim} was killed",
    )
    return max(note.at for note in journal.starts(here)[-1:]) - killed


def _kill_any(here: Home, role: str, rng: random.Random) -> bool:
    return any(kill(pid) for pid in _shuffled(here.pids(role), rng)[:1])


def _shuffled(pids: list[int], rng: random.Random) -> list[int]:
    return rng.sample(sorted(pids), len(pids))
