"""The state of a worker: epochs, attempts that wait or run, results that no scheduler has acknowledged. No I/O, no clock."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant

ACKNOWLEDGED_MAX = 4_096
"""Ids of acknowledged attempts that are kept, so that a late duplicate of a submission does not run again."""


@dataclass(slots=True)
class StopRequest:
    """A request to end an attempt."""

    reason: str
    grace_s: float
    outcome: str = "failed"
    """The outcome of the result; `lost` when the worker ends."""


@dataclass(slots=True, eq=False)
class PendingAttempt:
    """An attempt that waits for a child or runs in one."""

    attempt: Attempt
    entered_at: Instant | None = None
    stop: StopRequest | None = None
    fresh: bool = False
    """True when it runs, or will run, in a new interpreter."""
    fresh_reason: str | None = None
    """Why the tasks of the file cannot be forked, when this worker found that out."""
    has_slot: bool = False
    """True once it has left the queue: it takes a slot."""
    refused_at: float | None = None
    """When the machine first refused a process for it, in monotonic seconds."""
    is_ended: bool = False


class AttemptRegistry:
    """Attempts and results of one worker incarnation (the worker's side of LOAD, SUBMIT and RESULT in docs/contributing/ownership.md)."""

    def __init__(self) -> None:
        self.results: dict[str, AttemptResult] = {}
        """By attempt id, until acknowledged, in the order in which the attempts ended."""
        self._epochs: dict[int, int] = {}
        self._pending: dict[str, PendingAttempt] = {}
        self._queue: deque[PendingAttempt] = deque()
        self._acknowledged: OrderedDict[str, None] = OrderedDict()
        self._running = 0

    @property
    def running(self) -> int:
        """The number of attempts that take a slot."""
        return self._running

    @property
    def pending(self) -> Iterable[PendingAttempt]:
        """All attempts that wait or run."""
        return self._pending.values()

    def find(self, attempt_id: str) -> PendingAttempt | None:
        return self._pending.get(attempt_id)

    def raise_epoch(self, group_no: int, epoch: int) -> bool:
        """Record the highest epoch of the group; False when `epoch` is below the recorded one."""
        if epoch < self._epochs.get(group_no, 0):
            return False
        self._epochs[group_no] = epoch
        return True

    def submit(self, attempts: Iterable[Attempt]) -> tuple[list[AttemptResult], list[str]]:
        """Queue new attempts. Returns the results of attempts that have already ended, and the ids of refused ones.

        An attempt with an epoch below the highest of its group is refused; an attempt that is known already is ignored.
        """
        known_results, refused = [], []
        for attempt in attempts:
            if not self.raise_epoch(attempt.group_no, attempt.epoch):
                refused.append(attempt.attempt_id)
            elif attempt.attempt_id in self.results:
                known_results.append(self.results[attempt.attempt_id])
            elif attempt.attempt_id not in self._pending and attempt.attempt_id not in self._acknowledged:
                pending = PendingAttempt(attempt, fresh=attempt.fresh)
                self._pending[attempt.attempt_id] = pending
                self._queue.append(pending)
        return known_results, refused

    def take_next_queued(self) -> PendingAttempt | None:
        """Take the first attempt from the queue and give it a slot; None when the queue is empty."""
        while self._queue:
            pending = self._queue.popleft()
            if not pending.is_ended:
                pending.has_slot = True
                self._running += 1
                return pending
        return None

    def end(self, pending: PendingAttempt, result: AttemptResult) -> bool:
        """Record the result of the attempt and free its slot; False when the attempt had already ended."""
        if pending.is_ended:
            return False
        pending.is_ended = True
        if pending.has_slot:
            self._running -= 1
        del self._pending[pending.attempt.attempt_id]
        self.results[pending.attempt.attempt_id] = result
        return True

    def acknowledge(self, attempt_ids: Iterable[str]) -> None:
        """Delete these results: the store has them."""
        for attempt_id in attempt_ids:
            if self.results.pop(attempt_id, None) is not None:
                self._acknowledged[attempt_id] = None
        while len(self._acknowledged) > ACKNOWLEDGED_MAX:
            self._acknowledged.popitem(last=False)

    def inventory(self, groups: Iterable[int]) -> tuple[tuple[tuple[str, bool], ...], tuple[AttemptResult, ...]]:
        """(attempt id, True once author code was entered) of the attempts of these groups, and their results."""
        wanted_groups = frozenset(groups)
        running = tuple(
            (attempt_id, pending.entered_at is not None)
            for attempt_id, pending in self._pending.items()
            if pending.attempt.group_no in wanted_groups
        )
        return running, tuple(result for result in self.results.values() if result.group_no in wanted_groups)
