"""`make bench`: the work that Apache Airflow was measured with, on this machine, in one run.

Each figure stands beside what is wanted and beside Airflow's figure (bench/dags/README.md). Nothing here asserts a time.
Choose some: python -m bench.run wide chain
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.api_flood import api_flood, api_trigger
from bench.api_lists import api_lists
from bench.capacity import capacity
from bench.celery_rate import celery
from bench.commits import postgresql_commits, sqlite_commits
from bench.defer_rate import defer
from bench.defer_sensors import sensors
from bench.depending import depending
from bench.deployment import DATABASE_OPTION, Deployment, deployment, postgres
from bench.figures import hops, instant, median, quantile, rate, show
from bench.flat import flat
from bench.forks import fork_rate
from bench.git_bundle import git_bundle
from bench.mapped import mapped
from bench.page import page
from bench.timetable_rate import timetables

DAGS = Path(__file__).parent / "dags"
WIDE_OPTIONS = {
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
}
REPEATS = 3


def best_of(running: Deployment, dag_id: str, figure: Callable[[list[dict[str, object]]], float]) -> float:
    return max(figure(running.run_to_end(dag_id, f"r{i}")) for i in range(REPEATS))


def wide() -> None:
    before = fork_rate(2)
    with deployment([DAGS / "wide" / "wide_python_500.py"], **WIDE_OPTIONS) as running:
        running.wait_for_dag("wide_python_500")
        found = best_of(running, "wide_python_500", rate)
        after = fork_rate(2)
        forks = (before + after) / 2
        show("bare fork, two at a time, before and after", f"{before:.0f}/s, {after:.0f}/s")
        show(
            "500 Python tasks, isolated",
            f"{found:.0f}/s, {found / forks:.2f} of forks",
            ">= 300/s and 0.37 (goal 0.6)",
            "Airflow 6.6/s",
        )


def reused() -> None:
    with deployment(
        [DAGS / "wide" / "wide_python_500.py"], **WIDE_OPTIONS, GNOMON__WORKERS__ATTEMPTS_PER_CHILD="100"
    ) as running:
        running.wait_for_dag("wide_python_500")
        found = best_of(running, "wide_python_500", rate)
    commits = sqlite_commits()
    show("bare commit of SQLite, one row", f"{commits:.0f}/s")
    show(
        "500 Python tasks, attempts_per_child=100",
        f"{found:.0f}/s, {found / commits:.2f} of commits",
        ">= 3,000/s (goal 5,000)",
        "",
    )


def empty() -> None:
    """From the request's commit to the moment at which the run's end can be read: nothing runs in between but us."""
    with deployment([DAGS / "wide" / "wide_empty_500.py"], **WIDE_OPTIONS) as running:
        running.wait_for_dag("wide_empty_500")
        spans = [running.trigger_and_watch("wide_empty_500", f"r{i}") for i in range(3 * REPEATS)]
        show(
            "500 EmptyOperators, trigger to end",
            f"{500 / min(spans):.0f}/s (median {500 / median(spans):.0f}/s)",
            ">= 5,000/s (goal 20,000)",
            "Airflow 909/s",
        )


def chain() -> None:
    fork_ms = 1000 / fork_rate(1)
    show("bare fork, one at a time", f"{fork_ms:.2f} ms")
    for name in ("chain_30", "chains_10x30"):
        with deployment([DAGS / "chain" / f"{name}.py"], **WIDE_OPTIONS) as running:
            running.wait_for_dag(name)
            gaps: list[float] = []
            for i in range(REPEATS):
                gaps += hops(running.run_to_end(name, f"r{i}"))
            p50, p95 = median(gaps) * 1000, quantile(gaps, 0.95) * 1000
            beside = "Airflow 116 ms (0.85 s in ten chains)"
            show(
                f"{name}: end to next start",
                f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, {p50 / fork_ms:.1f} forks",
                "p50 < 15 ms and < 7 forks (goal 5 ms)" if name == "chain_30" else "",
                beside,
            )


def many() -> None:
    _many("SQLite", {})
    with postgres() as options:
        if options is None:
            show("20 DAGs x 25 runs x 5 tasks, PostgreSQL", "left out: GNOMON_BENCH_POSTGRES is not set")
        else:
            _many("PostgreSQL", options)


def _many(database: str, options: dict[str, str]) -> None:
    commits = sqlite_commits() if not options else postgresql_commits(options[DATABASE_OPTION])
    show(f"bare commit of {database}, one row", f"{commits:.0f}/s")
    with deployment([DAGS / "many" / "many_dags.py"], **{**WIDE_OPTIONS, **options}) as running:
        running.wait_for_dag("many_19")
        dag_ids = [f"many_{d:02d}" for d in range(20)]
        running.cli("dags", "unpause", *dag_ids)
        running.wait_for_ended_runs(500)
        runs = [run for dag_id in dag_ids for run in running.json("runs", "list", dag_id)]
        assert all(run["state"] == "success" for run in runs)
        span = max(instant(r["end_date"]) for r in runs) - min(instant(r["start_date"]) for r in runs)
        in_order = all(
            [r["logical_date"] for r in mine] == sorted(str(r["logical_date"]) for r in mine)
            for mine in ([r for r in reversed(runs) if r["dag_id"] == dag_id] for dag_id in dag_ids)
        )
        once = len({(r["dag_id"], r["logical_date"]) for r in runs}) == len(runs) == 500
        show(
            f"20 DAGs x 25 runs x 5 tasks, {database}",
            f"{len(runs) / span:.1f} runs/s, {1000 * len(runs) / span / commits:.0f} for 1,000 commits; each once: {once}, in order: {in_order}",
            ">= 50 runs/s (goal 60)",
            "Airflow 0.33 runs/s",
        )


def files(count: int = 500) -> None:
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="gnomon-bench-files-"))
    for i in range(count):
        (folder / f"file_{i:03d}.py").write_text(
            "from airflow.providers.standard.operators.python import PythonOperator\nfrom airflow.sdk import DAG\n\n\n"
            "def noop():\n    return None\n\n\n"
            f"with DAG('file_{i:03d}', schedule='@daily'):\n    for t in range(10):\n"
            "        PythonOperator(task_id=f't{t}', python_callable=noop)\n"
        )
    try:
        with deployment(sorted(folder.glob("*.py"))) as running:
            began = time.time()
            while time.time() - began < 120:
                try:
                    if len(running.json("dags", "list")) == count:
                        break
                except RuntimeError:
                    pass
                time.sleep(0.2)
            spent = time.time() - began
            time.sleep(10)
            before, at = running.cpu_s(), time.time()
            time.sleep(30)
            idle = 100 * (running.cpu_s() - before) / (time.time() - at)
            show(
                f"{count} files of 10 tasks",
                f"{spent:.1f} s; then {idle:.2f} % of a core",
                "<= 10 s, then < 1 % (goal 5 s)",
                "Airflow 43 s, then 167 %",
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cold() -> None:
    began = time.time()
    with deployment([DAGS / "one" / "one_dag.py"]) as running:
        ended = None
        while ended is None and time.time() - began < 60:
            try:
                tasks = running.json("tasks", "states", "one", str(running.json("runs", "list", "one")[0]["run_id"]))
                ended = tasks[0]["end_date"]
            except (RuntimeError, IndexError):
                time.sleep(0.05)
        show(
            "standalone, empty home, to the first task's end",
            f"{instant(ended) - began:.2f} s",
            "< 3 s",
            "Airflow 18.4 s",
        )
        time.sleep(15)
        before, at = running.cpu_s(), time.time()
        time.sleep(30)
        idle = 100 * (running.cpu_s() - before) / (time.time() - at)
        show(
            "idle",
            f"{running.memory_mb():.0f} MB (PSS), {idle:.2f} % of a core, {len(running.processes())} processes",
            "< 150 MB, < 1 %",
            "Airflow 1,178 MB, 4.8 %",
        )


ALL = {
    "cold": cold,
    "wide": wide,
    "reused": reused,
    "mapped": mapped,
    "empty": empty,
    "chain": chain,
    "many": many,
    "files": files,
    "flat": flat,
    "timetables": timetables,
    "celery": celery,
    "defer": defer,
    "sensors": sensors,
    "depending": depending,
    "api_lists": api_lists,
    "api_trigger": api_trigger,
    "api_flood": api_flood,
    "page": page,
    "git_bundle": git_bundle,
    "capacity": capacity,
}


def main(names: list[str]) -> None:
    show("work", "figure", "wanted", "beside")
    for name in names or list(ALL):
        ALL[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
