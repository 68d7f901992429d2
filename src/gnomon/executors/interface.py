"""What the scheduler needs of an execution engine. Each engine is one file behind this interface.

An executor never decides: it carries submissions to the worker incarnation that the store names, and reports what
workers say. `tests/conformance/test_executor_*.py` is the suite that every implementation runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.records import WorkerRecord

WORKER_TTL_S = 20.0
"""A worker without a beat for so long is lost to schedulers, with everything on it; after half of it, alone, it gives up."""


@dataclass(frozen=True, slots=True)
class WorkerConnected:
    """A worker incarnation answers; it has this many slots."""

    worker_id: str
    slots: int


@dataclass(frozen=True, slots=True)
class WorkerUnreachable:
    """The connection ended. Not yet lost: that is for the store's beats to say (OWNERSHIP.md line 18)."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """The worker is dead and nothing that it ran is left. No suspicion: whoever says this has seen it."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class AttemptEntered:
    """Author code was entered."""

    worker_id: str
    attempt_id: str
    group_no: int
    at: Instant


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """A result; sent again until acknowledged."""

    worker_id: str
    result: AttemptResult


@dataclass(frozen=True, slots=True)
class AttemptRefused:
    """The worker knows a higher epoch for the group."""

    worker_id: str
    attempt_ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class InventoryReceived:
    """What a worker holds of the groups that were asked for."""

    worker_id: str
    groups: tuple[int, ...]
    running: tuple[tuple[str, bool], ...]
    results: tuple[AttemptResult, ...]


ExecutorEvent = WorkerConnected | WorkerUnreachable | WorkerDied | AttemptEntered | AttemptEnded | AttemptRefused | InventoryReceived


class Executor(Protocol):
    """The scheduler's side of an execution engine. No method blocks; none raises for a worker that is gone."""

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        """Connect to the workers that are live by the store, let go of the others."""

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        """Start these attempts there; idempotent by attempt id."""

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        """End the attempt: SIGTERM and `on_kill`, then SIGKILL. Its result still arrives."""

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        """The store has these results."""

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        """Ask what the worker holds of these (group, epoch); the answer is an InventoryTaken."""

    def poll_events(self) -> list[ExecutorEvent]:
        """All that workers said since the last call."""

    def read_filenos(self) -> list[int]:
        """What to wait on for reading."""

    def write_filenos(self) -> list[int]:
        """What to wait on for writing: `poll` goes on with what was not taken at once."""

    def close(self) -> None:
        """Close the connections; the workers go on."""
