"""What the worker holds: epochs, attempts that wait or run, results that nobody has acknowledged. No I/O, no clock."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant

ACKNOWLEDGED_MAX = 4_096
"""Ids of acknowledged attempts that are remembered, so that a late duplicate does not run again."""


@dataclass(slots=True)
class StopRequest:
    """Somebody wants the attempt to end."""

    reason: str
    grace_s: float
    outcome: str = "failed"
    """What is reported; `lost` when it is the worker that ends."""


@dataclass(slots=True, eq=False)
class PendingAttempt:
    """One attempt that waits here or runs."""

    attempt: Attempt
    entered_at: Instant | None = None
    stop: StopRequest | None = None
    fresh: bool = False
    """It runs, or is to run, in a new interpreter."""
    fresh_reason: str | None = None
    """Why the file's tasks cannot be forked, when that was found out here."""
    has_slot: bool = False
    """It has left the queue and takes a slot."""
    refused_at: float | None = None
    """When the machine first refused a process for it; monotonic seconds."""
    is_ended: bool = False


class AttemptRegistry:
    """The book of one worker incarnation (OWNERSHIP.md lines 15 to 20, the worker's side)."""

    def __init__(self) -> None:
        self.results: dict[str, AttemptResult] = {}
        """Kept until acknowledged, in order of their ends."""
        self._epochs: dict[int, int] = {}
        self._pending: dict[str, PendingAttempt] = {}
        self._queue: deque[PendingAttempt] = deque()
        self._acknowledged: OrderedDict[str, None] = OrderedDict()
        self._running = 0

    @property
    def running(self) -> int:
        """How many slots are taken."""
        return self._running

    @property
    def pending(self) -> Iterable[PendingAttempt]:
        """Every attempt that waits or runs."""
        return self._pending.values()

    def find(self, attempt_id: str) -> PendingAttempt | None:
        return self._pending.get(attempt_id)

    def raise_epoch(self, group_no: int, epoch: int) -> bool:
        """Remembers the highest epoch of the group; False for one that is below it."""
        if epoch < self._epochs.get(group_no, 0):
            return False
        self._epochs[group_no] = epoch
        return True

    def submit(self, attempts: Iterable[Attempt]) -> tuple[list[AttemptResult], list[str]]:
        """New attempts stand in the queue. Returns the results of those that ended already, and the refused ids."""
        known, refused = [], []
        for attempt in attempts:
            if not self.raise_epoch(attempt.group_no, attempt.epoch):
                refused.append(attempt.attempt_id)
            elif attempt.attempt_id in self.results:
                known.append(self.results[attempt.attempt_id])
            elif attempt.attempt_id not in self._pending and attempt.attempt_id not in self._acknowledged:
                held = PendingAttempt(attempt, fresh=attempt.fresh)
                self._pending[attempt.attempt_id] = held
                self._queue.append(held)
        return known, refused

    def take_next_queued(self) -> PendingAttempt | None:
        """Takes the first of the queue and its slot."""
        while self._queue:
            held = self._queue.popleft()
            if not held.is_ended:
                held.has_slot = True
                self._running += 1
                return held
        return None

    def end(self, held: PendingAttempt, result: AttemptResult) -> bool:
        """The attempt has this result and gives its slot back; False when it had ended before."""
        if held.is_ended:
            return False
        held.is_ended = True
        if held.has_slot:
            self._running -= 1
        del self._pending[held.attempt.attempt_id]
        self.results[held.attempt.attempt_id] = result
        return True

    def acknowledge(self, attempt_ids: Iterable[str]) -> None:
        """The store has these results: they are forgotten."""
        for attempt_id in attempt_ids:
            if self.results.pop(attempt_id, None) is not None:
                self._acknowledged[attempt_id] = None
        while len(self._acknowledged) > ACKNOWLEDGED_MAX:
            self._acknowledged.popitem(last=False)

    def inventory(self, groups: Iterable[int]) -> tuple[tuple[tuple[str, bool], ...], tuple[AttemptResult, ...]]:
        """(attempt id, whether author code was entered) of what waits or runs, and the kept results, of these groups."""
        wanted = frozenset(groups)
        running = tuple(
            (attempt_id, held.entered_at is not None)
            for attempt_id, held in self._pending.items()
            if held.attempt.group_no in wanted
        )
        return running, tuple(result for result in self.results.values() if result.group_no in wanted)
