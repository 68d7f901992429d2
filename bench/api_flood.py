"""A busy scheduler and a busy API on one machine: what each costs the other.

    python -m bench.run api_trigger     how long a trigger takes beside `wide_python_500`
    python -m bench.run api_flood       the scheduler's rate beside a flood of requests, and without it

`api_flood` runs `wide_python_500` again and again, in turns with and without a flood of reads and triggers. The rate is tasks a second; beside it stand
processor seconds: a machine of two cores can do both only if their sum fits, and the clients take their share too.
`python -m bench.api_flood --rate 500 --seconds 60` chooses the flood.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import os
import queue
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.api_load import LoadRequest, LoadResult, run_load
from bench.deployment import GNOMON, Deployment, deployment
from bench.figures import describe_machine, median, quantile, rate, show
from bench.processes import cpu_s

DAG_FILE = Path(__file__).parent / "dags" / "wide" / "wide_python_500.py"
EMPTY_FILE = Path(__file__).parent / "dags" / "one" / "one_dag.py"
WIDE, TRIGGERED = "wide_python_500", "one"
OPTIONS = {
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
}
RATE, SECONDS, CONNECTIONS = 500.0, 60.0, 64
PAIRS = 2
"""How often the rate is measured without and with the flood."""
TRIGGERS, TRIGGER_RATE = 600, 10.0
V2, OWN = "/api/v2", "/api/gnomon/v1"


def api_trigger() -> None:
    """From the request, with its wait for a connection, to its answer: ten triggers a second for a minute, while the scheduler is busy."""
    with _served() as (running, port, token), _busy(running):
        before = _read_cpu(running)["api-server"]
        found = _load(port, token, [_trigger()], TRIGGER_RATE, TRIGGERS / TRIGGER_RATE, 4)
        spent_ms = 1000 * (_read_cpu(running)["api-server"] - before) / max(found.sent, 1)
        times = [1000 * seconds for seconds in found.seconds["trigger"]]
        show(
            "trigger to answer beside wide_python_500",
            f"p50 {median(times):.1f} ms, p95 {quantile(times, 0.95):.1f} ms, {found.failures} failures, {found.refused} refusals; "
            f"{spent_ms:.1f} ms of processor time; {describe_machine()}",
            "p95 < 20 ms",
        )


def api_flood(requests_a_second: float = RATE, seconds: float = SECONDS, pairs: int = PAIRS) -> None:
    """The scheduler's rate without and with the flood, and what the processes spend."""
    figures: dict[bool, list[_Turn]] = {False: [], True: []}
    with _served() as (running, port, token):
        _run_wide(running, 1.0)
        for pair in range(pairs):
            for flooded in (False, True) if pair % 2 == 0 else (True, False):
                figures[flooded].append(
                    _take_turn(running, port, token, requests_a_second if flooded else 0.0, seconds)
                )
    alone, beside = (median([turn.rate for turn in figures[flooded]]) for flooded in (False, True))
    flood = [turn.flood for turn in figures[True] if turn.flood is not None]
    times = [1000 * second for one in flood for values in one.seconds.values() for second in values] or [0.0]
    elapsed_s = sum(one.elapsed_s for one in flood)
    refused = sum(one.refused for one in flood)
    show(
        f"wide_python_500 beside {requests_a_second:.0f} requests/s",
        f"{beside:.0f} tasks/s, without {alone:.0f}/s, ratio {beside / alone:.2f}",
        "ratio >= 0.9",
    )
    show(
        "the flood itself",
        f"{len(times) / elapsed_s:.0f} answers/s and {refused / elapsed_s:.0f} refusals (503)/s of {requests_a_second:.0f} requests/s that were due, "
        f"over {CONNECTIONS} connections; p50 {median(times):.0f} ms, p95 {quantile(times, 0.95):.0f} ms from sending to answer, {sum(one.failures for one in flood)} failures",
    )
    show("load of the machine", describe_machine())
    for name in ("scheduler", "worker and tasks", "api-server", "clients"):
        without, with_it = (median([turn.cores[name] for turn in figures[flooded]]) for flooded in (False, True))
        show(f"cores of the {name}", f"{with_it:.2f}, without the flood {without:.2f}")
    ms = [1000 * median([turn.scheduler_s_a_task for turn in figures[flooded]]) for flooded in (False, True)]
    show("processor time of the scheduler a task", f"{ms[1]:.3f} ms, without the flood {ms[0]:.3f} ms")


@dataclass(frozen=True, slots=True)
class _Turn:
    rate: float
    """Tasks a second."""
    cores: dict[str, float]
    scheduler_s_a_task: float
    flood: LoadResult | None


def _take_turn(running: Deployment, port: int, token: str, requests_a_second: float, seconds: float) -> _Turn:
    before, began = _read_cpu(running), time.perf_counter()
    flood: LoadResult | None = None
    if requests_a_second:
        with _in_process(_load, port, token, _list_mix(), requests_a_second, seconds, CONNECTIONS) as wait:
            rates = _run_wide(running, seconds)
            flood = wait()
    else:
        rates = _run_wide(running, seconds)
    spent, after = time.perf_counter() - began, _read_cpu(running)
    cores = {name: (after[name] - before[name]) / spent for name in after}
    cores["clients"] = 0.0 if flood is None else flood.cpu_s / flood.elapsed_s
    return _Turn(median(rates), cores, (after["scheduler"] - before["scheduler"]) / (500 * len(rates)), flood)


def _list_mix() -> list[LoadRequest]:
    """What a page and a tool ask for, nineteen reads and a trigger."""
    reads = [
        f"{V2}/dags?limit=50",
        f"{V2}/dags/~/dagRuns?limit=25&order_by=-run_after",
        f"{V2}/dags/{WIDE}/dagRuns?limit=5&order_by=-run_after",
        f"{V2}/dags/{WIDE}",
        f"{OWN}/dags/{WIDE}/grid?runs=3",
        f"{V2}/dags/~/dagRuns/~/taskInstances?state=running&limit=25",
        f"{V2}/pools",
        f"{V2}/dags/{TRIGGERED}/dagRuns?limit=25&state=success",
        f"{V2}/version",
        f"{V2}/monitor/health",
    ]
    return [*(LoadRequest(path) for path in [*reads, *reads[:-1]]), _trigger()]


def _trigger() -> LoadRequest:
    serial = itertools.count()
    return LoadRequest(f"{V2}/dags/{TRIGGERED}/dagRuns", _TriggerBody(next(serial)), "trigger")


class _TriggerBody:
    """Makes bodies, each with a run id of its own."""

    def __init__(self, start: int) -> None:
        self._next = start

    def __call__(self) -> object:
        self._next += 1
        return {"dag_run_id": f"bench_{os.getpid()}_{time.monotonic_ns()}_{self._next}", "logical_date": None}


def _run_wide(running: Deployment, seconds: float) -> list[float]:
    """Runs one after the other for so long; tasks a second of each, from its own records."""
    rates: list[float] = []
    began = time.perf_counter()
    while not rates or time.perf_counter() - began < seconds:
        rates.append(rate(running.run_to_end(WIDE, f"w{time.monotonic_ns()}")))
    return rates


def _read_cpu(running: Deployment) -> dict[str, float]:
    """Processor seconds by kind of process."""
    spent = {"scheduler": 0.0, "worker and tasks": 0.0, "api-server": 0.0}
    for pid in running.processes():
        with contextlib.suppress(OSError):
            name = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            kind = next((one for one in ("scheduler", "api-server") if f"gnomon: {one}" in name), "worker and tasks")
            spent[kind] += cpu_s([pid])
    return spent


@contextlib.contextmanager
def _busy(running: Deployment) -> Iterator[None]:
    """`wide_python_500` runs again and again during the block."""
    script = f"import os, subprocess, time\nos.nice(15)\nwhile True:\n    subprocess.run({[*GNOMON, 'dags', 'trigger', WIDE]!r}, capture_output=True)\n    time.sleep(1)"
    with subprocess.Popen([sys.executable, "-c", script], env=running.environ) as trigger:
        time.sleep(3)
        try:
            yield
        finally:
            trigger.kill()


@contextlib.contextmanager
def _served() -> Iterator[tuple[Deployment, int, str]]:
    """A deployment, the port of its API and a token."""
    with deployment([DAG_FILE, EMPTY_FILE], **OPTIONS) as running:
        for dag_id in (WIDE, TRIGGERED):
            running.wait_for_dag(dag_id)
        port = int(running.environ["GNOMON__API__PORT"])
        found = re.search(
            r"gnm_\w+[\w-]*", running.cli("tokens", "create", "admin", "--name", "bench", "--role", "admin")
        )
        assert found is not None
        yield running, port, found[0]


def _load(
    port: int, token: str, mix: Sequence[LoadRequest], requests_a_second: float, seconds: float, connections: int
) -> LoadResult:
    return run_load(port, token, mix, requests_a_second, seconds, connections, counts_wait=connections < CONNECTIONS)


@contextlib.contextmanager
def _in_process(function: Callable[..., LoadResult], *arguments: object) -> Iterator[Callable[[], LoadResult]]:
    """Call the function in a process of its own; yields a function that waits for the result."""
    results: multiprocessing.Queue[LoadResult] = multiprocessing.get_context("spawn").Queue()
    process = multiprocessing.get_context("spawn").Process(target=_put_result, args=(results, function, *arguments))
    process.start()
    try:
        yield lambda: results.get(timeout=300)
    finally:
        with contextlib.suppress(queue.Empty):
            process.join(10)
        process.kill()


def _put_result(
    results: multiprocessing.Queue[LoadResult], function: Callable[..., LoadResult], *arguments: object
) -> None:
    results.put(function(*arguments))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    options = parser.parse_args()
    api_flood(options.rate, options.seconds, options.pairs)
