"""What one attempt costs the process of a task, mapped or not, without anything around it: `python -m bench.mapped_attempts`.

One process runs attempts one after the other, as a child with `attempts_per_child` does: it reads an attempt from its socket, runs it and
writes the result. Microseconds of processor time for each attempt; the kinds of tasks alternate, so that the smallest figures compare on
a busy machine too. In a deployment the same attempt takes several times as long, because the processes of a run share caches.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

from bench.figures import quantile
from bench.mapped import WIDE
from gnomon.author_code.loading.dagfile import load_dag_file
from gnomon.author_code.processes.message_stream import encode_frame
from gnomon.author_code.runner import attempt_child
from gnomon.author_code.runner.attempt_protocol import AttemptChannel, RunAttempt, create_decoder
from gnomon.author_code.runner.signals import prepare_sigterm
from gnomon.authoring.sdk.connections import channel
from gnomon.model.attempts import Attempt, RunFacts, XComElement
from gnomon.services.worker.warmup import warm_up_attempts

NUMBER = 500
"""Task instances of each kind."""
ATTEMPTS = 25
ROUNDS = 300
BUFFER_BYTES = 1 << 22
FILE = f"""
from airflow.sdk import DAG, task

with DAG("plain_task", schedule=None):

    @task
    def noop(i):
        return None

    for i in range({NUMBER}):
        noop(i)

with DAG("over_xcom", schedule=None):

    @task
    def numbers():
        return list(range({NUMBER}))

    @task
    def noop(i):
        return None

    noop.expand(i=numbers())
"""
KINDS = {
    "wide_python_500": "PythonOperator",
    "plain_task": "@task",
    "wide_mapped_500": "@task, over a list in the file",
    "over_xcom": "@task, over an XCom",
}


class AttemptLoop:
    """The loop of a child over attempts of one DAG; the time in which the child would wait for its worker is not counted."""

    def __init__(self, dags: dict[str, Any], dag_id: str) -> None:
        self._find_dag = attempt_child.dag_finder(dags)
        self._dag_id = dag_id
        self._next_number = 0
        self._spent_ns = 0
        self._resumed_at_ns = 0

    def run(self) -> float:
        """Run ATTEMPTS attempts; microseconds for each."""
        worker, child = socket.socketpair()
        with worker, child:
            child.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
            task_channel = AttemptChannel(child, create_decoder())
            channel.install_channel(task_channel)
            left, receive = ATTEMPTS, task_channel.receive_attempt

            def receive_next() -> RunAttempt | None:
                nonlocal left
                self._spent_ns += time.process_time_ns() - self._resumed_at_ns
                if left == 0:
                    return None
                left -= 1
                worker.sendall(encode_frame(self._build_message()))
                self._resumed_at_ns = time.process_time_ns()
                return receive()

            task_channel.receive_attempt = receive_next  # type: ignore[method-assign]
            self._spent_ns, self._resumed_at_ns = 0, time.process_time_ns()
            attempt_child._serve(task_channel, self._find_dag)
            answers = worker.recv(BUFFER_BYTES, socket.MSG_DONTWAIT)
            assert answers.count(b"success") == ATTEMPTS, answers[-500:]
        return self._spent_ns / ATTEMPTS / 1000

    def _build_message(self) -> RunAttempt:
        number = self._next_number
        self._next_number = (number + 1) % NUMBER
        run = RunFacts(
            run_pk=1, dag_id=self._dag_id, run_id="bench", run_type="manual", run_after=1, queued_at=1, started_at=1
        )
        facts: dict[str, Any] = {
            "attempt_id": f"{number:032d}",
            "group_no": 1,
            "epoch": 1,
            "run": run,
            "file": "file.py",
            "attempts_per_child": 100,
            "task_no": 1,
            "log": f"logs/{self._dag_id}/{number}.log",
        }
        if self._dag_id == "wide_python_500":
            return RunAttempt(attempt=Attempt(task_id=f"t{number:04d}", **facts))
        if self._dag_id == "plain_task":
            return RunAttempt(attempt=Attempt(task_id=f"noop__{number}" if number else "noop", **facts))
        attempt = Attempt(task_id="noop", map_index=number, expanded_count=NUMBER, factor_lengths=((NUMBER,),), **facts)
        element = XComElement(task_id="numbers", number=number, container="list", length=NUMBER, value=str(number))
        return RunAttempt(attempt=attempt, elements=(element,) if self._dag_id == "over_xcom" else ())


def mapped_attempts(rounds: int = ROUNDS) -> NoReturn:
    """A line for each kind of task. Ends the process, whose output a child redirects."""
    output = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory() as home:
        Path(home, "own.py").write_text(FILE)
        os.environ["GNOMON_HOME"] = home
        os.chdir(home)
        attempt_child.set_up_task_interpreter("bench")
        prepare_sigterm()
        warm_up_attempts()
        dags: dict[str, Any] = {}
        for file in (Path(home, "own.py"), WIDE / "wide_mapped_500.py", WIDE / "wide_python_500.py"):
            dags |= load_dag_file(str(file)).dags
        for task in (task for dag in dags.values() for task in dag.task_dict.values() if task.is_mapped):
            task.prepare_instances()
        gc.collect()
        gc.freeze()  # as a zygote does before it forks
        loops = {kind: AttemptLoop(dags, dag_id) for dag_id, kind in KINDS.items()}
        found: dict[str, list[float]] = {kind: [] for kind in loops}
        for _ in range(rounds):
            for kind, loop in loops.items():
                found[kind].append(loop.run())
        for kind, values in found.items():
            print(
                f"{kind:<32} {min(values):6.1f} us at least, {quantile(values, 0.5):6.1f} us in the middle",
                file=output,
                flush=True,
            )
    os._exit(0)


if __name__ == "__main__":
    mapped_attempts(*map(int, sys.argv[1:]))
