"""The interface between a scheduler and an execution engine. Each engine is one file that implements it.

An executor decides nothing: it sends submissions to the worker incarnation that the store names, and reports the messages
of workers as events. Every implementation runs the suite `tests/conformance/test_executor_contract.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.records import WorkerRecord


@dataclass(frozen=True, slots=True)
class WorkerConnected:
    """A worker incarnation answers; it has this many slots."""

    worker_id: str
    slots: int


@dataclass(frozen=True, slots=True)
class WorkerUnreachable:
    """The connection ended. Whether the worker is lost follows from its heartbeats in the store (SUBMIT in docs/contributing/ownership.md)."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """The worker is dead and none of its processes is left. This is certain: its lifeline is free."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class AttemptEntered:
    """Author code was entered. It may be missing when the result soon follows, which says when the attempt began."""

    worker_id: str
    attempt_id: str
    group_no: int
    at: Instant


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """An attempt has ended with this result. Sent again on each new connection until acknowledged."""

    worker_id: str
    result: AttemptResult


@dataclass(frozen=True, slots=True)
class AttemptRefused:
    """The worker refused these attempts: it has received a higher epoch of their group."""

    worker_id: str
    attempt_ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class InventoryReceived:
    """The attempts and results of the requested groups on a worker."""

    worker_id: str
    groups: tuple[int, ...]
    running: tuple[tuple[str, bool], ...]
    results: tuple[AttemptResult, ...]


ExecutorEvent = (
    WorkerConnected
    | WorkerUnreachable
    | WorkerDied
    | AttemptEntered
    | AttemptEnded
    | AttemptRefused
    | InventoryReceived
)


class Executor(Protocol):
    """The scheduler's side of an execution engine. No method blocks; none raises when a worker is gone."""

    @property
    def standing_workers(self) -> frozenset[str]:
        """Ids of workers that the store does not list and that are never lost: those that stand for a message broker."""

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        """Connect to the workers that are live in the store, and disconnect from the others."""

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        """Start these attempts on the worker; idempotent by attempt id."""

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        """End the attempt: SIGTERM and `on_kill`, then SIGKILL. Its result still arrives."""

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        """Let the worker delete these results: the store has them."""

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        """Request the inventory of these (group, epoch); the answer is an InventoryReceived."""

    def poll_events(self) -> list[ExecutorEvent]:
        """All events since the last call."""

    def read_filenos(self) -> list[int]:
        """Descriptors that are readable when there are events."""

    def write_filenos(self) -> list[int]:
        """Descriptors with unsent messages: `poll_events` sends them once these are writable."""

    def close(self) -> None:
        """Close the connections; the workers go on."""
