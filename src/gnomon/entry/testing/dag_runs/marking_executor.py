"""An executor that ends some attempts as success without running them: `mark_success_pattern`, and the upstream tasks of `run_task`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.authoring.sdk.serialization.value_codec import dumps
from gnomon.ground.clock import Clock
from gnomon.model.attempts import RETURN_VALUE, Attempt, AttemptResult, XComItem, measure_json
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import AttemptEnded, Executor, ExecutorEvent, InventoryReceived

Mark = Callable[[str], dict[str, object] | None]
"""From a task id: the XComs by key with which its attempts end as success; None: they are run."""


class MarkingExecutor:
    """Gives the attempts that `mark` does not end to another executor."""

    def __init__(self, inner: Executor, mark: Mark, clock: Clock, only_index: int | None = None) -> None:
        """`only_index`: attempts of task instances with another map index end as success without XComs."""
        self._only_index = only_index
        self._inner = inner
        self._mark = mark
        self._clock = clock
        self._results: dict[str, tuple[str, AttemptResult]] = {}
        """Id of an attempt to its worker and result, until it is acknowledged."""
        self._events: list[ExecutorEvent] = []

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        others = []
        for attempt in attempts:
            xcoms = self._find_mark(attempt)
            if xcoms is None:
                others.append(attempt)
            elif attempt.attempt_id not in self._results:
                result = _build_success(attempt, xcoms, self._clock)
                self._results[attempt.attempt_id] = worker_id, result
                self._events.append(AttemptEnded(worker_id, result))
        if others:
            self._inner.submit(worker_id, others)

    def _find_mark(self, attempt: Attempt) -> dict[str, object] | None:
        if attempt.callback is not None:
            return None
        if self._only_index is not None and attempt.map_index != self._only_index:
            return {}
        return self._mark(attempt.task_id)

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        for attempt_id in attempt_ids:
            self._results.pop(attempt_id, None)
        self._inner.acknowledge(worker_id, attempt_ids)

    def poll_events(self) -> list[ExecutorEvent]:
        events, self._events = self._events, []
        return [*events, *map(self._add_own_results, self._inner.poll_events())]

    def _add_own_results(self, event: ExecutorEvent) -> ExecutorEvent:
        """An inventory also lists the results that are kept here."""
        if not isinstance(event, InventoryReceived):
            return event
        own = tuple(
            result
            for worker_id, result in self._results.values()
            if worker_id == event.worker_id and result.group_no in event.groups
        )
        return InventoryReceived(event.worker_id, event.groups, event.running, (*event.results, *own))

    @property
    def standing_workers(self) -> frozenset[str]:
        return self._inner.standing_workers

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        self._inner.refresh(workers)

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        self._inner.cancel(worker_id, attempt_id, reason, grace_s)

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        self._inner.request_inventory(worker_id, groups)

    def read_filenos(self) -> list[int]:
        return self._inner.read_filenos()

    def write_filenos(self) -> list[int]:
        return self._inner.write_filenos()

    def close(self) -> None:
        self._inner.close()


def _build_success(attempt: Attempt, xcoms: dict[str, object], clock: Clock) -> AttemptResult:
    now = clock.now()
    texts = {key: dumps(value, what=f"XCom {key!r} of task {attempt.task_id!r}") for key, value in xcoms.items()}
    return AttemptResult(
        attempt_id=attempt.attempt_id,
        group_no=attempt.group_no,
        run_pk=attempt.run.run_pk,
        task_no=attempt.task_no,
        map_index=attempt.map_index,
        outcome="success",
        entered=True,
        started_at=now,
        ended_at=now,
        asset_events=(),
        callbacks_called=True,
        xcoms=tuple(XComItem(key=key, value=text) for key, text in texts.items()),
        return_length=measure_json(texts[RETURN_VALUE]) if RETURN_VALUE in texts else None,
    )
