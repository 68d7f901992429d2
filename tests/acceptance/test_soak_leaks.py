"""Nothing grows with the number of tasks: descriptors equal, memory within 5 %, in every process that outlives tasks.

Tasks run in reused children and, one in ten, in a child of their own. Resident memory is compared: pages that a parent
and a child share by chance do not move it. The short form looks after hundreds and thousands of tasks, the soak after
10,000 and 100,000 (issue 2, point 7).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from tests.chaos.home import Home, home
from tests.chaos.processes import until

from gnomon.ground.config import load_config, run_folder
from gnomon.ground.wakeups import Notifier
from gnomon.model.instants import Instant
from gnomon.model.states import DagRunState
from gnomon.storage.store import notify_on_commit
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

ROLES = ("supervisor", "scheduler", "worker", "base zygote", "file zygote", "dag-processor", "api-server")
"""The processes that live as long as the installation."""
PASSING = ("task child", "parse child")
TASKS = 100
"""Tasks of a run of the DAG `reused`; a tenth as many have those of `apart`."""
AT_ONCE = 10
"""Runs that are triggered together."""
ROUND_S = 300.0
MEMORY_QUICK_MB = 24.0
"""What a process may grow by while caches fill; a leak of 10 KB a task shows."""
MEMORY_SOAK = 1.05
OPTIONS = {
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
}
FILE = f"""
from airflow.sdk import DAG
from airflow.providers.standard.operators.python import PythonOperator

for name, tasks, reused in (("reused", {TASKS * 9 // 10}, 100), ("apart", {TASKS // 10}, 1)):
    with DAG(name, schedule=None, attempts_per_child=reused):
        for n in range(tasks):
            PythonOperator(task_id=f"t{{n}}", python_callable=lambda: {{"some": "value"}})
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc says how many descriptors are open")


@dataclass(frozen=True, slots=True)
class Size:
    """One process at one moment."""

    pid: int
    descriptors: int
    memory_mb: float


@pytest.fixture
def place() -> Iterator[Home]:
    with home(options=OPTIONS) as made:
        made.dag_file("leaks", FILE)
        made.start()
        until(partial(has_api_server, made), "the api-server has opened the database", ROUND_S)
        yield made


def has_api_server(place: Home) -> bool:
    """Whether an api-server has sent a heartbeat: until then it has no connection, which would count as one that was left open."""
    with place.store() as database, database.read() as tx:
        return bool(leases.list_api_servers(tx))


def test_a_tenth_of_the_tasks_leaves_the_processes_as_ten_times_as_many(place: Home) -> None:
    first, last = sizes_after(place, 300), sizes_after(place, 3_000)
    compare(place, first, last)
    for role, size in first.items():
        assert last[role].memory_mb < size.memory_mb + MEMORY_QUICK_MB, f"{role} grew: {size} {last[role]}"


@pytest.mark.soak
def test_a_hundred_thousand_tasks_leave_the_processes_as_ten_thousand(place: Home) -> None:
    first, last = sizes_after(place, 10_000), sizes_after(place, 100_000)
    compare(place, first, last)
    for role, size in first.items():
        assert last[role].memory_mb <= size.memory_mb * MEMORY_SOAK, f"{role} grew: {size} {last[role]}"


def compare(place: Home, first: dict[str, Size], last: dict[str, Size]) -> None:
    """The same processes have no more descriptors, but for one that a look of a moment meets: a file that is parsed again, a request."""
    for role, size in first.items():
        print(f"{role}: {size} {last.get(role)}")
    assert {role: size.pid for role, size in first.items()} == {role: size.pid for role, size in last.items()}
    until(partial(has_no_more, first), "as many descriptors as before")


def has_no_more(first: dict[str, Size]) -> bool:
    grown = [(role, open_files(size.pid)) for role, size in first.items()]
    grown = [(role, names) for role, names in grown if len(names) > first[role].descriptors]
    for role, names in grown:
        print(f"{role} has {len(names)}, and had {first[role].descriptors}: {names}")
    return not grown


def open_files(pid: int) -> list[str]:
    """The names of what the process has open."""
    names = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            names.append(os.readlink(descriptor))
    return sorted(names)


def sizes_after(place: Home, total: int) -> dict[str, Size]:
    """Every lasting process, at rest, once so many tasks have succeeded since the start."""
    done = {dag: tally(place, dag) for dag in ("reused", "apart")}
    while done["reused"] * TASKS < total:
        batch = min(AT_ONCE, total // TASKS - done["reused"])
        for dag, count in done.items():
            trigger(place, dag, range(count, count + batch))
        done = {dag: count + batch for dag, count in done.items()}
        until(partial(tallied, place, done), f"{total} tasks", ROUND_S)
    return rest(place)


def tallied(place: Home, wanted: dict[str, int]) -> bool:
    return all(tally(place, dag) == count for dag, count in wanted.items())


def trigger(place: Home, dag_id: str, numbers: range) -> None:
    at: Instant = int(time.time() * 1_000_000)
    with place.store() as database, database.write() as tx:
        for n in numbers:
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=f"r{n}",
                logical_at=None,
                run_after=at,
                interval=None,
                conf={},
                by="soak",
                at=at,
            )
        notify_on_commit(tx)
    Notifier(run_folder(load_config(place.env).home)).notify()


def tally(place: Home, dag_id: str) -> int:
    """How many runs of the DAG have succeeded; none may have failed."""

    def known() -> int | None:
        with place.store() as database, database.read() as tx:
            dag = dags.find_dag_row(tx, dag_id)
            return None if dag is None else dag.dag_pk

    dag_pk = until(known, f"DAG {dag_id}")
    with place.store() as database, database.read() as tx:
        counts = read_run_counts_of_dags(tx, [dag_pk]).get(dag_pk, {})
    assert set(counts) <= {DagRunState.SUCCESS, DagRunState.QUEUED, DagRunState.RUNNING}, counts
    return counts.get(DagRunState.SUCCESS, 0)


def rest(place: Home) -> dict[str, Size]:
    """Sizes that stay the same in two looks: the children of the last tasks and of the last parses are gone."""
    last: list[dict[str, Size]] = [{}]

    def quiet() -> dict[str, Size] | None:
        time.sleep(1.0)
        before, last[0] = last[0], {} if any(map(place.pids, PASSING)) else sizes(place)
        same = {role: size.descriptors for role, size in before.items()} == {
            r: s.descriptors for r, s in last[0].items()
        }
        return last[0] if same else None

    return until(quiet, "an end of the changes")


def sizes(place: Home) -> dict[str, Size]:
    """The size of the one process of each role that there is."""
    found = {}
    for role in ROLES:
        for pid in place.pids(role)[:1]:
            with suppress(OSError):
                found[role] = Size(pid, len(os.listdir(f"/proc/{pid}/fd")), resident_mb(pid))
    return found


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
