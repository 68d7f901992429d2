"""An executor that runs attempts in this process, one after the other, so that a debugger stops in the code of tasks."""

from __future__ import annotations

import os
from bdb import BdbQuit
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, answer_request
from gnomon.author_code.runner.attempt import run_attempt
from gnomon.author_code.runner.attempt_results import result_without_run
from gnomon.author_code.runner.callback_attempt import run_callback_attempt
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.environment import environment, replace_environment
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.errors.authoring import AirflowRuntimeError
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import WorkerRecord
from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.queries.taskapi import TaskApiRefused, answer_task
from gnomon.services.executors.interface import (
    AttemptEnded,
    AttemptEntered,
    ExecutorEvent,
    InventoryReceived,
    WorkerConnected,
)
from gnomon.storage.store import Database

WORKER_SLOTS = 1_000_000
STOPS_RUN = (KeyboardInterrupt, BdbQuit)
"""What ends the whole run when a task raises it: Ctrl-C, and `q` in a debugger."""
_log = log.get_logger("testing.executor")
_task_log = RunnerLog("airflow.dag_test")


class InProcessChannel:
    """Answers the requests of one attempt from the store, with the rights of the attempt. None: of a DAG file."""

    def __init__(self, db: Database, attempt: Attempt | None) -> None:
        self._db = db
        self._attempt = attempt

    def ask(self, question: TaskApiRequest) -> object:
        """The answer. Raises AirflowRuntimeError when the request is refused, and in a fork."""
        if author_forks.is_fork():
            raise AirflowRuntimeError(author_forks.FORK_REFUSAL)
        message = TaskApiRequestMessage(number=1, request=question)  # type: ignore[arg-type]
        response = answer_request(
            lambda request: answer_task(self._db, self._attempt, request), message, log=_log, refusals=(TaskApiRefused,)
        )
        return response.unwrap(AirflowRuntimeError)


class InProcessExecutor:
    """Keeps submitted attempts until `run_next` runs them. `dag`: the object whose tasks run."""

    def __init__(self, dag: Any, db: Database, clock: Clock, worker_id: str) -> None:
        self._dag = dag
        self._db = db
        self._clock = clock
        self._worker_id = worker_id
        self._is_connected = False
        self._known: set[str] = set()
        self._waiting: dict[str, Attempt] = {}
        self._results: dict[str, AttemptResult] = {}
        self._events: list[ExecutorEvent] = []

    def run_next(self) -> bool:
        """Run one submitted attempt to its end; False when there is none. Raises STOPS_RUN of its code."""
        attempt_id = next(iter(self._waiting), None)
        if attempt_id is None:
            return False
        attempt = self._waiting.pop(attempt_id)
        name = _describe(attempt)
        _task_log.info("%s begins", name)
        result = self._run(attempt)
        _task_log.info("%s ended: %s%s", name, result.outcome, f": {result.reason}" if result.reason else "")
        self._end(replace(result, retry_delay_s=0.0))
        return True

    def _run(self, attempt: Attempt) -> AttemptResult:
        """The result. The environment, the folder and the channel of this process are as before afterwards."""
        channel = InProcessChannel(self._db, attempt)
        variables, folder = environment(), os.getcwd()
        previous = install_channel(channel)
        former = author_forks.claim_process()

        def report_entered(at: Instant) -> None:
            self._events.append(AttemptEntered(self._worker_id, attempt.attempt_id, attempt.group_no, at))

        try:
            if attempt.callback is not None:
                return run_callback_attempt(self._dag, attempt, channel, report_entered)
            return run_attempt(self._dag, attempt, channel, report_entered, clock=self._clock, reraised=STOPS_RUN)
        finally:
            author_forks.give_back_process(former)
            install_channel(previous)
            _restore_environment(variables)
            os.chdir(folder)

    def _end(self, result: AttemptResult) -> None:
        self._results[result.attempt_id] = result
        self._events.append(AttemptEnded(self._worker_id, result))

    # ---- the scheduler's side ------------------------------------------------------------------------------------------
    @property
    def standing_workers(self) -> frozenset[str]:
        return frozenset()

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        if not self._is_connected and any(worker.worker_id == self._worker_id for worker in workers):
            self._is_connected = True
            self._events.append(WorkerConnected(self._worker_id, WORKER_SLOTS))

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            if attempt.attempt_id not in self._known:
                self._known.add(attempt.attempt_id)
                self._waiting[attempt.attempt_id] = attempt

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        attempt = self._waiting.pop(
            attempt_id, None
        )  # an attempt that runs has ended before the scheduler's next round
        if attempt is not None:
            self._end(result_without_run(attempt, "failed", reason, entered=False))

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        for attempt_id in attempt_ids:
            self._results.pop(attempt_id, None)

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        numbers = {group for group, _ in groups}
        running = tuple(
            (attempt.attempt_id, False) for attempt in self._waiting.values() if attempt.group_no in numbers
        )
        results = tuple(result for result in self._results.values() if result.group_no in numbers)
        self._events.append(InventoryReceived(self._worker_id, tuple(sorted(numbers)), running, results))

    def poll_events(self) -> list[ExecutorEvent]:
        events, self._events = self._events, []
        return events

    def read_filenos(self) -> list[int]:
        return []

    def write_filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self._waiting.clear()


def _describe(attempt: Attempt) -> str:
    """The task and its try, or the callback, as the log names it."""
    if attempt.callback is not None:
        return f"{attempt.callback.kind} of DAG {attempt.run.dag_id}"
    index = "" if attempt.map_index == UNMAPPED else f"[{attempt.map_index}]"
    tries = "" if attempt.try_number <= 1 else f", try {attempt.try_number}"
    return f"task {attempt.task_id}{index}{tries}"


def _restore_environment(variables: Mapping[str, str]) -> None:
    if environment() != variables:
        replace_environment(variables)
