"""What a task costs in each service, and how many a second go through 1, 2 and 4 schedulers on PostgreSQL with workers that only answer.

    python -m bench.run capacity
    python -m bench.capacity --page      also writes the figures into bench/results/capacity.md
    python -m bench.capacity --short     everything once with few tasks, in about three minutes: whether it works; writes no page

Needs GNOMON_BENCH_POSTGRES. Costs are processor time, which hardly depends on what else the machine does; rates do. The part of PostgreSQL is that of the sessions
of the bench; processes of the server that write the log and the tables are not counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import psycopg

from bench.celery_rate import BROKERS, REPEATS, Costs, find_fault, read_broker_cpu, read_sessions_cpu
from bench.deployment import GNOMON, postgres
from bench.figures import show
from bench.forks import fork_rate
from bench.processes import cpu_s, memory_kb
from bench.task_costs import measure_celery, measure_local
from bench.worker_rate import attempt as worker_attempt
from bench.worker_rate import run as run_worker
from gnomon.ground.clock import SystemClock
from gnomon.ground.wakeups import Notifier
from gnomon.model.ids import GROUPS, group_of
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.services.executors.celery_broker import CeleryPublisher, CelerySettings, create_celery_app
from gnomon.storage.store import Database, migrations, notify_on_commit, open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.parsed_files import dag_files

PAGE = Path(__file__).parent / "results" / "capacity.md"
BEGIN, END = "<!-- figures: python -m bench.capacity --page -->", "<!-- end of the figures -->"
SCHEDULERS = (1, 2, 4)
WORKERS = 2
TASKS = 100
"""Of each of the 64 DAGs."""
ROUNDS = 3
MESSAGES = 3000
ISOLATED = 500
LIMIT_S = 300.0
POLL_S = 0.01
TOKEN_CHARACTERS = 276
"""The length of the token in a message."""
SHORT_TASKS, SHORT_MESSAGES = 5, 100
RATES = (1, 10, 100, 1_000, 10_000)
USE = 0.7
"""The part of a processor that a service may use at the stated rate."""
OPTIONS = {"GNOMON__CORE__PARALLELISM": "100000", "GNOMON__LOGGING__STYLE": "json"}


@dataclass(frozen=True, slots=True)
class SchedulerFigures:
    """Work through some schedulers."""

    schedulers: int
    rate: float
    """Tasks a second, the best round."""
    scheduler_ms: float
    database_ms: float
    worker_ms: float
    busiest: float
    """The part of one processor that the busiest scheduler used."""
    machine: float
    """Of all processors, by everything on this machine."""
    memory_mb: float
    """PSS of one scheduler."""


@dataclass(slots=True)
class Figures:
    """All figures of one run."""

    empty: list[SchedulerFigures] = field(default_factory=list)
    submitted: list[SchedulerFigures] = field(default_factory=list)
    fork_ms: float = 0.0
    worker_ms: float = 0.0
    brokers: dict[str, float] = field(default_factory=dict)
    together: dict[str, tuple[float, Costs]] = field(default_factory=dict)
    """By way: tasks a second, and the costs."""
    left_out: dict[str, str] = field(default_factory=dict)
    """By way or broker, why it was not measured."""


def capacity(*, is_short: bool = False) -> Figures | None:
    """Measure and print; None without PostgreSQL. `is_short`: with few tasks, so that only the costs of a start can be seen."""
    if not os.environ.get("GNOMON_BENCH_POSTGRES"):
        show("capacity", "left out: GNOMON_BENCH_POSTGRES is not set")
        return None
    found = Figures()
    tasks, rounds, schedulers = (SHORT_TASKS, 1, SCHEDULERS[:1]) if is_short else (TASKS, ROUNDS, SCHEDULERS)
    for count in schedulers:
        for name, runs_code, into in (
            ("EmptyOperators", False, found.empty),
            ("submitted attempts", True, found.submitted),
        ):
            one = measure_schedulers(count, runs_code=runs_code, tasks=tasks, rounds=rounds)
            into.append(one)
            show(
                f"{name} through {count} schedulers",
                f"{one.rate:.0f}/s, scheduler {one.scheduler_ms:.3f} ms, PostgreSQL {one.database_ms:.3f} ms",
                "",
                f"busiest {one.busiest:.0%} of a processor, machine {one.machine:.0%}, {one.memory_mb:.0f} MB",
            )
    _measure_alone(found, SHORT_MESSAGES if is_short else MESSAGES)
    _measure_together(found, 1 if is_short else REPEATS)
    return found


def _measure_alone(found: Figures, messages: int) -> None:
    found.fork_ms, found.worker_ms = 1000 / fork_rate(1), measure_worker()
    show("a worker alone, an isolated task", f"{found.worker_ms:.2f} ms", "", f"bare fork {found.fork_ms:.2f} ms")
    for name, url in BROKERS.items():
        reason = find_fault(url)
        if reason:
            found.left_out[f"Celery, {name}"] = reason
            show(f"{name} alone", f"left out: {reason}")
        else:
            found.brokers[name] = measure_broker(url, messages)
            show(f"{name} alone, a message in and out", f"{found.brokers[name]:.3f} ms")


def _measure_together(found: Figures, repeats: int) -> None:
    ways: dict[str, Callable[[], tuple[float, Costs]]] = {"local worker": lambda: measure_local(repeats)}
    ways |= {f"Celery, {name}": partial(measure_celery, BROKERS[name], repeats) for name in found.brokers}
    for name, measure in ways.items():
        try:
            found.together[name] = measure()
        except (TimeoutError, RuntimeError, subprocess.TimeoutExpired) as error:  # what was measured before stays
            found.left_out[name] = str(error)
            show(f"together, {name}", f"left out: {error}")
            continue
        rate, costs = found.together[name]
        show(
            f"together, {name}", f"{rate:.0f}/s", "", ", ".join(f"{part} {cost:.2f} ms" for part, cost in costs.items())
        )


def measure_schedulers(schedulers: int, *, runs_code: bool, tasks: int, rounds: int) -> SchedulerFigures:
    """64 DAGs, one of each group, whose tasks are all ready at once; one run of each DAG a round."""
    with (
        postgres() as database,
        tempfile.TemporaryDirectory(prefix="gnomon-bench-capacity-") as home,
        ExitStack() as stack,
    ):
        assert database is not None
        url = database["GNOMON__DATABASE__SQL_ALCHEMY_CONN"]
        migrations.upgrade_schema(url)
        db = stack.enter_context(closing(open_database(url, role="bench")))
        dag_ids = _record_dags(db, tasks, runs_code=runs_code)
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE pool SET slots = -1")
        left_out = ("GNOMON", "AIRFLOW")
        environ = (
            {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
            | OPTIONS
            | database
            | {"GNOMON_HOME": home}
        )
        log = stack.enter_context(Path(home, "services.log").open("ab"))
        workers = [
            stack.enter_context(
                _process(
                    [sys.executable, "-m", "bench.scripted_worker", url, f"{home}/w{number}.sock", "100000"],
                    environ,
                    log,
                )
            )
            for number in range(WORKERS)
        ]
        services = [stack.enter_context(_process([*GNOMON, "scheduler"], environ, log)) for _ in range(schedulers)]
        _wait_for_shares(url, schedulers, home)
        _run_round(db, Path(home), dag_ids, "warm")
        before = (_cpu_of(services), read_sessions_cpu(url), _cpu_of(workers))
        spans, parts, machine = [], [], []
        for number in range(rounds):
            by_scheduler, idle = [cpu_s([service.pid]) for service in services], _read_machine()
            span = _run_round(db, Path(home), dag_ids, f"r{number}")
            spans.append(span)
            parts.append(
                max(cpu_s([service.pid]) - at for service, at in zip(services, by_scheduler, strict=True)) / span
            )
            machine.append(1 - (_read_machine()[0] - idle[0]) / max(_read_machine()[1] - idle[1], 1e-9))
        after = (_cpu_of(services), read_sessions_cpu(url), _cpu_of(workers))
        count = rounds * tasks * len(dag_ids)
        costs = [1000 * (late - early) / count for early, late in zip(before, after, strict=True)]
        best = spans.index(min(spans))
        return SchedulerFigures(
            schedulers,
            tasks * len(dag_ids) / spans[best],
            *costs,
            busiest=parts[best],
            machine=machine[best],
            memory_mb=memory_kb([services[0].pid]) / 1024,
        )


def measure_worker(isolated: int = ISOLATED) -> float:
    """Processor ms of an isolated task that does nothing, in a worker without scheduler and store."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home, "wide.py")
        file.write_text(
            f"from gnomon import DAG\nfrom gnomon.authoring.operators.python import PythonOperator\n\nwith DAG('wide', schedule=None):\n    for i in range({isolated}):\n"
            "        PythonOperator(task_id=f't{i}', python_callable=lambda: None)\n"
        )
        _, _, spent = run_worker(Path(home), [worker_attempt(str(file), number, 1) for number in range(isolated)])
        return 1000 * spent / isolated


def measure_broker(url: str, messages: int) -> float:
    """Processor ms of the broker for a message as the scheduler publishes it, which is consumed and acknowledged."""
    app = create_celery_app(CelerySettings(url))
    name = f"gnomon-bench-{uuid.uuid4().hex[:12]}"
    before = read_broker_cpu(url)
    publisher = CeleryPublisher(app, lambda _: "x" * TOKEN_CHARACTERS)
    try:
        with app.connection_for_read() as connection:
            queue = connection.SimpleQueue(name)
            for _ in range(messages):
                publisher.publish(str(uuid.uuid4()), name)
            for _ in range(messages):
                queue.get(timeout=LIMIT_S).ack()
            queue.queue.delete()
    finally:
        publisher.close()
    return 1000 * (read_broker_cpu(url) - before) / messages


def _record_dags(db: Database, tasks: int, *, runs_code: bool) -> list[str]:
    by_group: dict[int, str] = {}
    number = 0
    while len(by_group) < GROUPS:
        by_group.setdefault(group_of(f"dag_{number}"), f"dag_{number}")
        number += 1
    dag_ids = sorted(by_group.values())
    for dag_id in dag_ids:
        spec = DagSpec(
            dag_id=dag_id,
            timetable=TimetableRef(path="gnomon.timetables.Null"),
            max_active_tasks=100_000,
            max_active_runs=100,
            tasks=tuple(TaskSpec(task_id=f"task_{n}", runs_code=runs_code) for n in range(tasks)),
        )
        parsed = ParsedFile(
            path=f"/{dag_id}.py", inputs=FileInputs(input_hash="1"), dags=(ParsedDag(spec=spec, spec_hash="1"),)
        )
        with db.write() as tx:
            dag_files.record_parsed(tx, parsed, at=SystemClock().now(), paused_by_default=False)
    return dag_ids


def _run_round(db: Database, home: Path, dag_ids: list[str], run_id: str) -> float:
    """Create one run of each DAG in one transaction; returns the seconds from its commit until the ends of all can be read."""
    at = SystemClock().now()
    with psycopg.connect(db.url, autocommit=True) as connection:
        with db.write() as tx:
            for dag_id in dag_ids:
                dag_runs.create_manual_run(
                    tx,
                    dag_id=dag_id,
                    run_id=run_id,
                    logical_at=None,
                    run_after=at,
                    interval=None,
                    conf={},
                    by="bench",
                    at=at,
                )
            notify_on_commit(tx)
        began = time.perf_counter()
        Notifier(home / "run", db.url).notify()
        while connection.execute("SELECT count(*) FROM dag_run WHERE ended_at IS NULL").fetchone() != (0,):
            if time.perf_counter() - began > LIMIT_S:
                raise TimeoutError(f"the runs did not end; see {home}/services.log")
            time.sleep(POLL_S)
        return time.perf_counter() - began


def _wait_for_shares(url: str, schedulers: int, home: str) -> None:
    """Each scheduler has its share of the groups, which the first one gives up after ten seconds."""
    share = -(-GROUPS // schedulers)
    deadline = time.monotonic() + LIMIT_S
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < deadline:
            owned = connection.execute(
                "SELECT count(*) FROM dag_group WHERE owner IS NOT NULL GROUP BY owner"
            ).fetchall()
            if (
                len(owned) == schedulers
                and all(count <= share for (count,) in owned)
                and sum(count for (count,) in owned) == GROUPS
            ):
                return
            time.sleep(0.2)
    raise TimeoutError(f"{schedulers} schedulers did not share the groups; see {home}/services.log")


@contextmanager
def _process(command: list[str], environ: dict[str, str], log: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _cpu_of(processes: list[subprocess.Popen[bytes]]) -> float:
    return sum(cpu_s([process.pid]) for process in processes)


def _read_machine() -> tuple[float, float]:
    """Idle and all seconds of all processors."""
    values = [int(text) for text in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    ticks = os.sysconf("SC_CLK_TCK")
    return (values[3] + values[4]) / ticks, sum(values) / ticks


def write_page(found: Figures) -> None:
    """Replace the figures of the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{format_figures(found)}\n{END}{after}")


def format_figures(found: Figures) -> str:
    """The figures as Markdown."""
    lines = [
        f"Gnomon {version('gnomon')}, {datetime.now(UTC).date()}, {os.cpu_count()} processors, Python {sys.version.split()[0]}; load of the last minute at the end {os.getloadavg()[0]:.1f}.",
        "",
        "| work | schedulers | tasks a second | scheduler | PostgreSQL | busiest scheduler | whole machine |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in (("EmptyOperators", found.empty), ("attempts sent to workers that only answer", found.submitted)):
        lines += [
            f"| {name} | {row.schedulers} | {row.rate:,.0f} | {row.scheduler_ms:.2f} ms | {row.database_ms:.2f} ms | {row.busiest:.0%} of a processor | {row.machine:.0%} busy |"
            for row in rows
        ]
    parts = sorted({part for _, costs in found.together.values() for part in costs})
    lines += [
        "",
        f"| isolated tasks that do nothing, together | tasks a second | {' | '.join(parts)} |",
        f"|---|---|{'---|' * len(parts)}",
    ]
    for name, (rate, costs) in found.together.items():
        lines.append(
            f"| {name} | {rate:,.0f} | {' | '.join(f'{costs[part]:.2f} ms' if part in costs else '' for part in parts)} |"
        )
    lines += (
        ["", *(f"- {name}: left out, {reason}" for name, reason in found.left_out.items())] if found.left_out else []
    )
    lines += [
        "",
        f"Alone: a worker without scheduler and database uses {found.worker_ms:.2f} ms for such a task (a bare fork takes {found.fork_ms:.2f} ms); "
        + "; ".join(f"{name} {cost:.3f} ms for a message in and out" for name, cost in found.brokers.items())
        + ".",
        "",
        f"Processors by these costs, each used to {USE:.0%}:",
        "",
        f"| tasks a second | {' | '.join(parts)} | together |",
        f"|---|{'---|' * len(parts)}---|",
    ]
    for name, (_, costs) in found.together.items():
        for rate in RATES:
            needed = {part: rate * cost / 1000 / USE for part, cost in costs.items()}
            lines.append(
                f"| {rate:,} by {name} | {' | '.join(f'{needed[part]:.2f}' if part in needed else '' for part in parts)} | {sum(needed.values()):.1f} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    figures = capacity(is_short="--short" in sys.argv[1:])
    if figures is not None and "--page" in sys.argv[1:] and "--short" not in sys.argv[1:]:
        write_page(figures)
