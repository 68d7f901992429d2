"""Several executors as one: an order goes to the executor that has its worker, and the events of all come together.

Which executor a task runs on, the engine decides when it chooses the worker (`[core] executor`, `executor=` of tasks).
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.attempts import Attempt
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import Executor, ExecutorEvent


class CombinedExecutor:
    """`executors`: at most one has workers that the store lists; each other one says which workers stand for it."""

    def __init__(self, executors: Sequence[Executor]) -> None:
        self._executors = tuple(executors)
        self._by_worker = {worker_id: executor for executor in executors for worker_id in executor.standing_workers}
        self._of_listed = next((executor for executor in executors if not executor.standing_workers), None)

    @property
    def standing_workers(self) -> frozenset[str]:
        """Those of all executors."""
        return frozenset(self._by_worker)

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        for executor in self._executors:
            executor.refresh(workers)

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        if (executor := self._find(worker_id)) is not None:
            executor.submit(worker_id, attempts)

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        if (executor := self._find(worker_id)) is not None:
            executor.cancel(worker_id, attempt_id, reason, grace_s)

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        if (executor := self._find(worker_id)) is not None:
            executor.acknowledge(worker_id, attempt_ids)

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        if (executor := self._find(worker_id)) is not None:
            executor.request_inventory(worker_id, groups)

    def poll_events(self) -> list[ExecutorEvent]:
        return [event for executor in self._executors for event in executor.poll_events()]

    def read_filenos(self) -> list[int]:
        return [number for executor in self._executors for number in executor.read_filenos()]

    def write_filenos(self) -> list[int]:
        return [number for executor in self._executors for number in executor.write_filenos()]

    def close(self) -> None:
        for executor in self._executors:
            executor.close()

    def _find(self, worker_id: str) -> Executor | None:
        """The executor of the worker; None for a worker of an executor that is no longer configured, whose attempts are lost with it."""
        return self._by_worker.get(worker_id, self._of_listed)
