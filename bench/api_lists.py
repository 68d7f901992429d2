"""How fast the API lists history: every list with each of its orders and filters, as three accounts, with random DAGs, states, windows of time and cursors.

    python -m bench.run api_lists
    python -m bench.api_lists --size full --folder /tmp/history --database postgresql
    python -m bench.api_lists --size full --folder /tmp/history --match dagRuns/~/taskInstances --shown 100

Server time: the application is called in this process, without a socket. Beside the time on the clock stands processor time, of this process and of
the sessions of PostgreSQL, which does not grow when the machine is busy. `full` is 10,000 DAGs, 1,000,000 runs and 10,000,000 task instances,
which needs 4 GB of disk and some minutes for each database; `small` is a tenth of it. With `--folder` they are kept there and used again; the database of PostgreSQL
is kept on the server of GNOMON_BENCH_POSTGRES (for example postgresql:///postgres?host=/var/run/postgresql), with a name of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.api_client import Ask, TimedReply, serve_in_process
from bench.api_filters import fill
from bench.api_history import (
    GRID_DAG,
    HistorySize,
    create_store,
    dag_name,
    fill_history,
    postgres_database,
)
from bench.api_operations import OWN, V2, ListRequest, list_requests
from bench.figures import describe_machine, measure_speed, median, quantile, show
from gnomon.ground.config import load_config
from gnomon.storage.store import load_cipher, open_database

SIZES = {"tiny": HistorySize(100, 2_000), "small": HistorySize(1_000, 100_000), "full": HistorySize(10_000, 1_000_000)}
GOAL_MS = 50.0
ROUNDS, ROUNDS_MIN, ROUND_MAX_S = 60, 5, 2.0
"""A request is repeated ROUNDS times with other values, at least ROUNDS_MIN times if it takes more than ROUND_MAX_S in all, and once if it alone does."""
SEED = 13
PAGES_FURTHER = 50
SHOWN = 25


@dataclass(frozen=True, slots=True)
class Figure:
    """The times of one request in milliseconds, with each of its values."""

    operation: str
    name: str
    cpu: list[float]
    clock: list[float]
    refused: int
    """Answers with 400: the list cannot be read in a short time, and the answer says how it can."""
    fault: str
    """Another status than 200 and 400."""

    @property
    def cpu_p95(self) -> float:
        """The processor time that 95 of 100 do not exceed."""
        return quantile(self.cpu, 0.95)

    def describe(self) -> str:
        """As the report shows it."""
        refused = f"; {self.refused} of {len(self.cpu)} refused" if self.refused else ""
        return f"{describe_times(self.cpu, self.clock)}{refused} {self.fault}"


def describe_times(cpu: list[float], clock: list[float]) -> str:
    """Both times."""
    return f"processor p50 {median(cpu):.1f} ms, p95 {quantile(cpu, 0.95):.1f} ms; clock p50 {median(clock):.1f} ms, p95 {quantile(clock, 0.95):.1f} ms"


def api_lists(
    size: HistorySize = SIZES["small"],
    databases: tuple[str, ...] = ("sqlite", "postgresql"),
    match: str = "",
    shown: int = SHOWN,
    folder: Path | None = None,
    rounds: int = ROUNDS,
) -> None:
    """One line for each list and for each of the slowest requests, and how many are above the goal. `folder`: where the stores are kept; None: nowhere."""
    for name in databases:
        with place_store(name, size, folder) as store:
            if store is None:
                show(f"lists of the API, {name}", "left out: GNOMON_BENCH_POSTGRES is not set")
                continue
            measure_lists(*store, size, name, match, shown, rounds)


@contextmanager
def place_store(name: str, size: HistorySize, kept: Path | None) -> Iterator[tuple[str, Path, dict[str, str]] | None]:
    """The address of a filled database, its home and the tokens of its accounts; None where there is no server."""
    server = os.environ.get("GNOMON_BENCH_POSTGRES")
    if name != "sqlite" and server is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        home = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gnomon-bench-api-")))
            if kept is None
            else kept / f"{name}-{size.runs}"
        )
        notes = home / "tokens.json"
        if notes.exists():
            found = json.loads(notes.read_text())
            create_store(found["url"])
            yield found["url"], home, found["tokens"]
            return
        home.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{home / 'gnomon.db'}"
        if name != "sqlite":
            assert server is not None
            database = f"gnomon_bench_api_{os.getpid() if kept is None else size.runs}"
            url = stack.enter_context(postgres_database(server, database, is_kept=kept is not None))
        tokens = fill_store(url, home, size)
        notes.write_text(json.dumps({"url": url, "tokens": tokens}))
        yield url, home, tokens


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


def measure_lists(
    url: str,
    home: Path,
    tokens: dict[str, str],
    size: HistorySize,
    name: str,
    match: str = "",
    shown: int = SHOWN,
    rounds: int = ROUNDS,
) -> None:
    """Measure all requests whose name contains `match`."""
    with serve_in_process(url, home) as ask:
        run_id = ask(tokens["admin"], "GET", f"{V2}/dags/{dag_name(8)}/dagRuns?limit=1").json()["dag_runs"][0][
            "dag_run_id"
        ]
        found = [
            figure
            for request in list_requests(size, run_id)
            if match in request.name
            for figure in _measure(ask, tokens[request.account], request, size, rounds)
        ]
        grid = ask(tokens["admin"], "GET", f"{OWN}/dags/{GRID_DAG}/grid?runs=25")
    found.sort(key=lambda figure: figure.cpu_p95, reverse=True)
    for operation in sorted({figure.operation for figure in found}):
        own = [figure for figure in found if figure.operation == operation]
        times = describe_times(
            [ms for figure in own for ms in figure.cpu], [ms for figure in own for ms in figure.clock]
        )
        show(
            operation[:110],
            f"{len(own)} requests: {times}; the slowest: processor p95 {own[0].cpu_p95:.1f} ms",
            f"p95 < {GOAL_MS:.0f} ms",
        )
    for figure in found[:shown]:
        show(figure.name[:140], figure.describe(), f"p95 < {GOAL_MS:.0f} ms")
    for figure in found:
        if figure.fault:
            show(figure.name[:140], figure.fault)
    slow = sum(figure.cpu_p95 > GOAL_MS for figure in found)
    show(
        f"lists of the API, {name}, {size}",
        f"{slow} of {len(found)} requests above {GOAL_MS:.0f} ms of processor time at p95, {sum(bool(figure.refused) for figure in found)} "
        f"refused for some values; {describe_machine()}, ten million additions in Python take {measure_speed():.2f} s",
        "0 above 50 ms",
        "Airflow: 1 to 3 s a call of the grid (airflow#60241)",
    )
    show(
        "grid of 1,000 tasks x 25 runs",
        f"{len(grid.body) / 1000:.0f} kB",
        "< 150 kB, p95 < 50 ms",
        "Airflow: 30 s at 900 x 25 (#23772)",
    )


def _measure(ask: Ask, token: str, request: ListRequest, size: HistorySize, rounds: int) -> Iterator[Figure]:
    yield _repeat(ask, token, request, [request.path], request.name, size, rounds)
    if request.follows and "cursor=" in request.path:
        path, paths = request.path, []
        for _ in range(PAGES_FURTHER):
            cursor = ask(token, "GET", path).json()["next_cursor"]
            if cursor is None:
                break
            path = f"{request.path.rpartition('cursor=')[0]}cursor={cursor}"
            paths.append(path)
        yield _repeat(
            ask,
            token,
            request,
            paths or [path],
            f"{request.name} and a cursor of the next {len(paths)} pages",
            size,
            rounds,
        )


def _repeat(
    ask: Ask, token: str, request: ListRequest, paths: Sequence[str], name: str, size: HistorySize, rounds: int
) -> Figure:
    """Ask for the paths at random, each time with other values."""
    chance = random.Random(f"{SEED} {name}")
    figure = Figure(request.operation, name, [], [], 0, "")

    def ask_once() -> TimedReply:
        return ask(
            token, "GET" if request.body is None else "POST", fill(chance.choice(paths), size, chance), request.body
        )

    ask_once()  # not counted: the server prepares an operation, and reads what it keeps, at the first request
    while len(figure.cpu) < ROUNDS_MIN or (len(figure.cpu) < rounds and sum(figure.clock) < ROUND_MAX_S * 1000):
        reply = ask_once()
        figure.cpu.append(reply.cpu_s * 1000)
        figure.clock.append(reply.seconds * 1000)
        figure = replace(
            figure, refused=figure.refused + (reply.status == 400), fault=figure.fault or _describe_fault(reply)
        )
        if reply.seconds > ROUND_MAX_S:
            break
    return figure


def _describe_fault(reply: TimedReply) -> str:
    return "" if reply.status in (200, 400) else f"(status {reply.status}: {reply.body[:120].decode()})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), action="append")
    parser.add_argument("--match", default="", help="only requests whose name contains this")
    parser.add_argument("--shown", type=int, default=SHOWN)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, help="where the filled stores are kept for the next time")
    options = parser.parse_args()
    api_lists(
        SIZES[options.size],
        tuple(options.database or ("sqlite", "postgresql")),
        options.match,
        options.shown,
        options.folder,
        options.rounds,
    )
