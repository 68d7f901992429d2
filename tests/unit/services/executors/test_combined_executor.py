"""CombinedExecutor: orders go to the executor of their worker, and the events of all come together."""

from __future__ import annotations

import pytest

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.services.executors.combined import CombinedExecutor
from gnomon.services.executors.interface import ExecutorEvent, WorkerUnreachable

pytestmark = pytest.mark.pure

RUN = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
ATTEMPT = Attempt(attempt_id="a", group_no=1, epoch=1, run=RUN, task_id="t", task_no=0, file="/d.py")


class RecordingExecutor:
    """Records its orders."""

    def __init__(self, fileno: int, *standing: str) -> None:
        self.standing_workers = frozenset(standing)
        self.orders: list[tuple[object, ...]] = []
        self._fileno = fileno

    def refresh(self, workers: object) -> None:
        self.orders.append(("refresh", workers))

    def submit(self, worker_id: str, attempts: object) -> None:
        self.orders.append(("submit", worker_id, attempts))

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        self.orders.append(("cancel", worker_id, attempt_id, reason, grace_s))

    def acknowledge(self, worker_id: str, attempt_ids: object) -> None:
        self.orders.append(("acknowledge", worker_id, attempt_ids))

    def request_inventory(self, worker_id: str, groups: object) -> None:
        self.orders.append(("request_inventory", worker_id, groups))

    def poll_events(self) -> list[ExecutorEvent]:
        return [WorkerUnreachable(str(self._fileno))]

    def read_filenos(self) -> list[int]:
        return [self._fileno]

    def write_filenos(self) -> list[int]:
        return [-self._fileno]

    def close(self) -> None:
        self.orders.append(("close",))


def test_an_order_goes_to_the_executor_of_its_worker() -> None:
    local, celery = RecordingExecutor(1), RecordingExecutor(2, "CeleryExecutor")
    both = CombinedExecutor([celery, local])
    for worker_id, own in (("CeleryExecutor", celery), ("w1", local)):
        both.submit(worker_id, [ATTEMPT])
        both.cancel(worker_id, "a", "why", 1.0)
        both.acknowledge(worker_id, ["a"])
        both.request_inventory(worker_id, [(1, 1)])
        assert own.orders == [
            ("submit", worker_id, [ATTEMPT]),
            ("cancel", worker_id, "a", "why", 1.0),
            ("acknowledge", worker_id, ["a"]),
            ("request_inventory", worker_id, [(1, 1)]),
        ]


def test_what_concerns_all_reaches_all() -> None:
    local, celery = RecordingExecutor(1), RecordingExecutor(2, "CeleryExecutor")
    both = CombinedExecutor([local, celery])
    both.refresh([])
    both.close()
    assert local.orders == celery.orders == [("refresh", []), ("close",)]
    assert both.standing_workers == {"CeleryExecutor"}
    assert (both.poll_events(), both.read_filenos(), both.write_filenos()) == (
        [WorkerUnreachable("1"), WorkerUnreachable("2")],
        [1, 2],
        [-1, -2],
    )


def test_an_order_for_a_worker_of_an_executor_that_is_gone_is_for_nobody() -> None:
    celery = RecordingExecutor(2, "CeleryExecutor")
    CombinedExecutor([celery]).submit("w1", [ATTEMPT])
    assert celery.orders == []
