"""How fast the API lists history: every list, each order that it documents and the usual filters, as three accounts.

    python -m bench.run api_lists
    python -m bench.api_lists --size full --database postgresql --postgres postgresql:///postgres?host=/var/run/postgresql

Server time: the application is called in this process, without a socket. Beside the time on the clock stands processor time, of this process and of
the sessions of PostgreSQL, which does not grow when the machine is busy; the requests are ordered by it. `full` is 10,000 DAGs, 1,000,000 runs and 10,000,000 task instances,
which needs 4 GB of disk and some minutes; `small` is a tenth of it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.api_client import Ask, serve_in_process
from bench.api_history import (
    GRID_DAG,
    HistorySize,
    create_store,
    dag_name,
    fill_history,
    postgres_database,
)
from bench.api_operations import OWN, V2, ListRequest, list_requests
from bench.figures import median, quantile, show
from gnomon.config import load_config
from gnomon.store import load_cipher, open_database

SIZES = {"tiny": HistorySize(100, 2_000), "small": HistorySize(1_000, 100_000), "full": HistorySize(10_000, 1_000_000)}
GOAL_MS = 50.0
ROUNDS, ROUNDS_MIN, ROUND_MAX_S = 40, 3, 1.0
"""A request is repeated ROUNDS times, at least ROUNDS_MIN times if it takes more than ROUND_MAX_S in all, and once if it alone does."""
PAGES_FURTHER = 50
SHOWN = 25


@dataclass(frozen=True, slots=True, order=True)
class Figure:
    """The times of one request in milliseconds."""

    cpu_p95: float
    cpu_p50: float
    p95: float
    p50: float
    name: str
    note: str

    def describe(self) -> str:
        """As the report shows it."""
        return f"processor p50 {self.cpu_p50:.1f} ms, p95 {self.cpu_p95:.1f} ms; clock p50 {self.p50:.1f} ms, p95 {self.p95:.1f} ms {self.note}"


def api_lists(size: HistorySize = SIZES["small"], databases: tuple[str, ...] = ("sqlite", "postgresql"), match: str = "", shown: int = SHOWN) -> None:
    """One line for each of the slowest requests, and how many are above the goal."""
    for name in databases:
        with tempfile.TemporaryDirectory(prefix="gnomon-bench-api-") as folder, place_store(name, Path(folder)) as url:
            if url is None:
                show(f"lists of the API, {name}", "left out: GNOMON_BENCH_POSTGRES is not set")
                continue
            home = Path(folder)
            tokens = fill_store(url, home, size)
            measure_lists(url, home, tokens, size, name, match, shown)


@contextmanager
def place_store(name: str, folder: Path) -> Iterator[str | None]:
    """The address of an empty database; None where there is no server."""
    server = os.environ.get("GNOMON_BENCH_POSTGRES")
    if name == "sqlite":
        yield f"sqlite:///{folder / 'gnomon.db'}"
    elif server is None:
        yield None
    else:
        with postgres_database(server, f"gnomon_bench_api_{os.getpid()}") as url:
            yield url


def fill_store(url: str, home: Path, size: HistorySize) -> dict[str, str]:
    """Create and fill the store; returns the tokens of the accounts."""
    began = time.perf_counter()
    create_store(url)
    cfg = load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON_HOME": str(home)}, home)
    database = open_database(url, role="bench", synchronous="OFF", cipher=load_cipher(cfg))
    try:
        tokens = fill_history(database, size)
    finally:
        database.close()
    show(f"filled: {size}", f"{time.perf_counter() - began:.0f} s")
    return tokens


def measure_lists(url: str, home: Path, tokens: dict[str, str], size: HistorySize, name: str, match: str = "", shown: int = SHOWN) -> None:
    """Measure all requests whose name contains `match`."""
    with serve_in_process(url, home) as ask:
        run_id = ask(tokens["admin"], "GET", f"{V2}/dags/{dag_name(8)}/dagRuns?limit=1").json()["dag_runs"][0]["dag_run_id"]
        found: list[Figure] = []
        for request in list_requests(size, run_id):
            if match in request.name:
                found += _measure(ask, tokens[request.account], request)
        grid = ask(tokens["admin"], "GET", f"{OWN}/dags/{GRID_DAG}/grid?runs=25")
    found.sort(reverse=True)
    for figure in found[:shown]:
        show(figure.name[:110], figure.describe(), f"p95 < {GOAL_MS:.0f} ms")
    slow = sum(figure.cpu_p95 > GOAL_MS for figure in found)
    show(f"lists of the API, {name}, {size}", f"{slow} of {len(found)} above {GOAL_MS:.0f} ms of processor time, the slowest {found[0].cpu_p95:.1f} ms", "0 above 50 ms",
         "Airflow: 1 to 3 s a call of the grid (airflow#60241)")
    show("grid of 1,000 tasks x 25 runs", f"{len(grid.body) / 1000:.0f} kB", "< 150 kB, p95 < 50 ms", "Airflow: 30 s at 900 x 25 (#23772)")


def _measure(ask: Ask, token: str, request: ListRequest) -> Iterator[Figure]:
    method = "GET" if request.body is None else "POST"
    yield _repeat(ask, token, method, request.path, request.body, request.name)
    if request.follows and "cursor=" in request.path:
        path = request.path
        for _ in range(PAGES_FURTHER):
            cursor = ask(token, method, path).json()["next_cursor"]
            if cursor is None:
                break
            path = f"{request.path.rpartition('cursor=')[0]}cursor={cursor}"
        yield _repeat(ask, token, method, path, None, f"{request.name} page {PAGES_FURTHER}")


def _repeat(ask: Ask, token: str, method: str, path: str, body: object, name: str) -> Figure:
    rounds = ROUNDS
    times: list[float] = []
    cpu: list[float] = []
    reply = ask(token, method, path, body)
    if reply.seconds > ROUND_MAX_S:
        times, cpu = [reply.seconds * 1000], [reply.cpu_s * 1000]
    while (reply.seconds <= ROUND_MAX_S and len(times) < ROUNDS_MIN) or (len(times) < rounds and sum(times) < ROUND_MAX_S * 1000):
        reply = ask(token, method, path, body)
        times.append(reply.seconds * 1000)
        cpu.append(reply.cpu_s * 1000)
    note = "" if reply.status == 200 else f"(status {reply.status}: {reply.body[:80].decode()})"
    return Figure(quantile(cpu, 0.95), median(cpu), quantile(times, 0.95), median(times), name, note)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), action="append")
    parser.add_argument("--match", default="", help="only requests whose name contains this")
    parser.add_argument("--shown", type=int, default=SHOWN)
    options = parser.parse_args()
    api_lists(SIZES[options.size], tuple(options.database or ("sqlite", "postgresql")), options.match, options.shown)
