"""How many isolated tasks a worker runs a second, with no scheduler and no store; beside it, the machine's bare forks.

    python -m bench.worker_rate [tasks] [attempts_per_child]

Prints one JSON line. The DAG is `wide_python_500` in small: PythonOperators that do nothing.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.forks import fork_rate
from bench.processes import cpu_s, family
from gnomon.ground.clock import SystemClock
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, XComElement
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import AttemptEnded, WorkerConnected
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.worker.loop import WorkerService, describe_stop
from gnomon.services.worker.settings import WorkerSettings

DAG = """
from gnomon import DAG
from gnomon.authoring.operators.python import PythonOperator

with DAG("wide", schedule=None):
    for i in range(%d):
        PythonOperator(task_id=f"t{i}", python_callable=lambda: None)
"""
SLOTS = 32
LIMIT_S = 120.0


class NoStore:
    """The worker's place in a store that does not exist."""

    def register(self, record: object) -> None: ...

    def find_silence_limit(self, ttl_s: float) -> float:
        return ttl_s / 2

    def find_run_limit(self, ttl_s: float) -> float:
        return math.inf

    def retire(self, worker_id: str) -> None: ...

    def beat(self, worker_id: str) -> bool:
        return True

    def mail_results(self, worker_id: str, results: object) -> None: ...

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        return ()

    def answer_request(self, attempt: Attempt, question: object) -> object:
        return None


def main() -> None:
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    per_child = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rate_before = fork_rate(2)
    with tempfile.TemporaryDirectory() as home:
        file = Path(home, "wide.py")
        file.write_text(DAG % tasks)
        results, seconds, _ = run(Path(home), [attempt(str(file), i, per_child) for i in range(tasks)])
    rate = statistics.mean((rate_before, fork_rate(2)))
    outcomes = {result.outcome for result in results}
    print(
        json.dumps(
            {
                "tasks": tasks,
                "attempts_per_child": per_child,
                "outcomes": sorted(outcomes),
                "tasks_per_s": round(tasks / seconds, 1),
                "bare_forks_per_s": round(rate, 1),
                "ratio": round(tasks / seconds / rate, 3),
            }
        )
    )


def attempt(file: str, number: int, per_child: int) -> Attempt:
    run = RunFacts(run_pk=1, dag_id="wide", run_id="r", run_type="manual", run_after=0, logical_at=0)
    return Attempt(
        attempt_id=f"a{number}",
        group_no=0,
        epoch=1,
        run=run,
        task_id=f"t{number}",
        task_no=number,
        file=file,
        input_hash="1",
        attempts_per_child=per_child,
        log=f"dag_id=wide/run_id=r/task_id=t{number}/attempt=1.log",
    )


def run(home: Path, attempts: list[Attempt]) -> tuple[list[AttemptResult], float, float]:
    """The results, the seconds from submission to the last of them, and the processor seconds of the worker; the import of the file is not counted."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        serve(home, tell)
    with os.fdopen(told) as lines:
        worker_id, address = lines.readline().split()
    executor = LocalExecutor("bench")
    executor.refresh([WorkerRecord(worker_id, "here", address, SLOTS, 0, False)])
    wait_for(executor, worker_id, lambda events: any(isinstance(event, WorkerConnected) for event in events))
    begun = time.monotonic()
    executor.submit(worker_id, [warm_up(attempts[0])])
    wait_for(executor, worker_id, has_ended)
    begun, spent = time.monotonic(), cpu_s(family(pid))
    executor.submit(worker_id, attempts)
    results: list[AttemptResult] = []

    def all_ended(events: list[object]) -> bool:
        results.extend(event.result for event in events if isinstance(event, AttemptEnded))
        return len(results) >= len(attempts)

    wait_for(executor, worker_id, all_ended)
    seconds, spent = time.monotonic() - begun, cpu_s(family(pid)) - spent
    executor.close()
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    return results, seconds, spent


def warm_up(first: Attempt) -> Attempt:
    import msgspec

    return msgspec.structs.replace(first, attempt_id="warm", log="warm.log")


def has_ended(events: list[object]) -> bool:
    return any(isinstance(event, AttemptEnded) for event in events)


def wait_for(executor: LocalExecutor, worker_id: str, enough: object) -> None:
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        select.select(executor.read_filenos(), [], [], 0.5)
        events = executor.poll_events()
        executor.acknowledge(worker_id, [e.result.attempt_id for e in events if isinstance(e, AttemptEnded)])
        if enough(events):  # type: ignore[operator]
            return
    raise SystemExit(f"nothing came within {LIMIT_S:g} s")


def serve(home: Path, tell: int) -> None:
    environ = {**os.environ, "GNOMON_HOME": str(home), "GNOMON__CORE__DAGS_FOLDER": str(home)}
    settings = WorkerSettings(run_folder=home, logs_folder=home / "logs", slots=SLOTS, environ=environ)
    worker = WorkerService(settings, NoStore(), SystemClock())
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    worker.start()
    os.write(tell, f"{worker.worker_id} {worker.address}\n".encode())
    while not stopping:
        worker.run_once()
    worker.stop(describe_stop())
    os._exit(0)


if __name__ == "__main__":
    main()
