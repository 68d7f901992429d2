"""A real worker in a process of its own, without a store, and an executor that is connected to it.

`python -m tests.conformance.workerworld` is that process; its configuration is one JSON argument.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_S

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import without_secrets
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, XComElement
from gnomon.model.records import WorkerRecord
from gnomon.model.task_api_requests import GetXComElement
from gnomon.queries.taskapi import TaskApiRefused
from gnomon.services.executors.interface import AttemptEnded, AttemptEntered, ExecutorEvent, WorkerConnected
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.worker import drain
from gnomon.services.worker.loop import WorkerService
from gnomon.services.worker.settings import WorkerSettings
from gnomon.services.worker.worker_store import WorkerStoreAway, WorkerStoreUnavailable


class NoStore:
    """A store that accepts every write, keeps nothing, and has one Variable. It is away as often as the key `away-N` of a request says."""

    def __init__(self, silence: Path, run_limit_s: float | None) -> None:
        """`silence`: while this file exists no heartbeat is taken; with the content `lost` the worker is lost. `run_limit_s`: None: attempts run on meanwhile."""
        self._silence = silence
        self._run_limit_s = math.inf if run_limit_s is None else run_limit_s
        self._refusals: Counter[str] = Counter()

    def register(self, record: object) -> None: ...

    def beat(self, worker_id: str) -> bool:
        if self._silence.exists():
            if self._silence.read_text() == "lost":
                return False
            raise WorkerStoreUnavailable("no heartbeat is taken")
        return True

    def find_run_limit(self, ttl_s: float) -> float:
        return self._run_limit_s

    def find_silence_limit(self, ttl_s: float) -> float:
        return ttl_s / 2

    def retire(self, worker_id: str) -> None: ...

    def mail_results(self, worker_id: str, results: object) -> None: ...

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        """Of a list of three numbers; the element number n is 10 n."""
        if attempt.task_id == "unreadable":
            raise RuntimeError("a value that cannot be split")
        return tuple(
            XComElement(
                task_id=wanted.task_id, number=wanted.number, container="list", length=3, value=str(10 * wanted.number)
            )
            for wanted in attempt.elements
        )

    def answer_request(self, attempt: Attempt | None, question: Any) -> object:
        if isinstance(question, GetXComElement):
            return {"container": "list", "length": 3, "value": f'"asked for {question.number}"'}
        if question.key == "large":
            return "x" * 100_000
        if question.key.startswith("away-") and self._refusals[question.key] < int(question.key.removeprefix("away-")):
            self._refusals[question.key] += 1
            raise WorkerStoreAway("the api-server does not answer")
        if question.key == "refused":
            raise TaskApiRefused("this one is not for you")
        return f"the value of {question.key} for {'an import' if attempt is None else attempt.task_id}"


class WorkerWorld:
    """One worker process, its folder, and the executors that are connected to it."""

    def __init__(
        self,
        home: Path,
        slots: int = 4,
        import_limit_s: float = PATIENCE_S,
        environ: dict[str, str] | None = None,
        address: str = "",
        silence_s: float = 30.0,
        stop_grace_s: float = 30.0,
        shutdown_grace_s: float = 0.0,
        one_request_s: float = 0.0,
        run_limit_s: float | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        """The limits are for a busy machine; a test that is about one of them gives its own. `prefix`: a program that runs the worker, with its arguments."""
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self._run_folder = tempfile.TemporaryDirectory(prefix="gnomon-w-")  # short: a socket's path has 107 bytes
        config = {
            "home": str(home),
            "run": self._run_folder.name,
            "slots": slots,
            "import_limit_s": import_limit_s,
            "database": address,
            "silence_s": silence_s,
            "stop_grace_s": stop_grace_s,
            "shutdown_grace_s": shutdown_grace_s,
            "one_request_s": one_request_s,
            "run_limit_s": run_limit_s,
        }
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.conformance.workerworld", json.dumps(config)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "GNOMON_HOME": str(home), **(environ or {})},
        )
        assert self.process.stdout is not None
        self.worker_id, self.address = self.process.stdout.readline().split()
        self.slots = slots
        self._numbers = iter(range(1, 1_000_000))
        self.executor = self.connect("first")

    def record(self) -> WorkerRecord:
        return WorkerRecord(self.worker_id, "here", self.address, self.slots, 0, False)

    def connect(self, scheduler_id: str) -> LocalExecutor:
        executor = LocalExecutor(scheduler_id)
        executor.refresh([self.record()])
        self.wait(lambda events: any(isinstance(event, WorkerConnected) for event in events), executor)
        return executor

    def dag(self, name: str, body: str, head: str = "") -> Path:
        """A DAG file with one task `t` whose function has this body."""
        lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
        path = self.home / f"{name}.py"
        path.write_text(
            f"import os, signal, sys, time\nfrom gnomon import DAG, task\n{head}\n"
            f"@task\ndef t(ti=None):\n{lines}\n\nwith DAG('d', schedule=None):\n    t()\n"
        )
        return path

    def attempt(self, file: Path, **fields: Any) -> Attempt:
        attempt_id = fields.pop("attempt_id", f"{file.stem}-{next(self._numbers)}")
        run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
        facts: dict[str, Any] = {
            "attempt_id": attempt_id,
            "group_no": 1,
            "epoch": 1,
            "run": run,
            "task_id": "t",
            "task_no": 1,
            "file": str(file),
            "input_hash": "1",
            "log": f"dag_id=d/{attempt_id}/attempt=1.log",
        }
        return Attempt(**{**facts, **fields})

    def run(self, attempt: Attempt) -> AttemptResult:
        """Submit it, wait for its end, acknowledge."""
        self.executor.submit(self.worker_id, [attempt])
        return self.result_of(attempt)

    def result_of(self, attempt: Attempt) -> AttemptResult:
        events = self.wait(lambda events: attempt.attempt_id in ended(events))
        self.executor.acknowledge(self.worker_id, [attempt.attempt_id])
        return ended(events)[attempt.attempt_id]

    def entered(self, attempt: Attempt) -> None:
        """Author code of the attempt runs."""
        self.wait(
            lambda events: any(isinstance(e, AttemptEntered) and e.attempt_id == attempt.attempt_id for e in events)
        )

    def log_of(self, attempt: Attempt) -> str:
        return (self.home / "logs" / attempt.log).read_text()

    def wait(
        self, enough: Callable[[Sequence[ExecutorEvent]], bool], executor: LocalExecutor | None = None
    ) -> list[ExecutorEvent]:
        """All events until the condition holds."""
        executor = executor or self.executor
        deadline = time.monotonic() + PATIENCE_S
        said: list[ExecutorEvent] = []
        while not enough(said):
            assert time.monotonic() < deadline, f"not within {PATIENCE_S:g} s; said so far: {said}"
            select.select(executor.read_filenos(), [], [], 0.2)
            said += executor.poll_events()
        return said

    def close(self) -> int:
        self.executor.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._run_folder.cleanup()
        return code


def ended(events: Sequence[ExecutorEvent]) -> dict[str, AttemptResult]:
    return {event.result.attempt_id: event.result for event in events if isinstance(event, AttemptEnded)}


def until(true: Callable[[], bool], what: str) -> None:
    """Poll until the condition holds, up to a limit."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, f"not within {PATIENCE_S:g} s: {what}"
        select.select([], [], [], 0.02)


def alive(pid: int) -> bool:
    """The process exists and is not defunct."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def family(pid: int) -> dict[int, str]:
    """Every descendant of a process, with its state letter."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents.setdefault(int(parent), []).append((int(entry.name), state))
    found: dict[int, str] = {}
    todo = [pid]
    while todo:
        for child, state in parents.get(todo.pop(), []):
            found[child] = state
            todo.append(child)
    return found


def main() -> None:
    config = json.loads(sys.argv[1])
    home = Path(config["home"])
    environ = without_secrets(dict(os.environ), config["database"])
    settings = WorkerSettings(
        run_folder=Path(config["run"]),
        logs_folder=home / "logs",
        slots=config["slots"],
        environ=environ,
        import_limit_s=config["import_limit_s"],
        entry_silence_s=config["silence_s"],
        stop_grace_s=config["stop_grace_s"],
    )
    clock = SystemClock()
    worker = WorkerService(settings, NoStore(home / "silence", config["run_limit_s"]), clock)
    requests = drain.StopRequests(clock, config["one_request_s"])
    worker.start()
    print(worker.worker_id, worker.address, flush=True)
    drain.run(worker, requests, clock, config["shutdown_grace_s"])
    worker.close()


if __name__ == "__main__":
    main()
