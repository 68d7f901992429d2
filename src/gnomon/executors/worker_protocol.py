"""Messages on Gnomon's pipes. Frames are a 4-byte big-endian length and msgpack; see `wire.frames`.

Three conversations: scheduler and worker (a Unix socket that the worker listens on), worker and zygote, and child and
its parent (task child and worker, or parse child and dag-processor).
"""

from __future__ import annotations

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.processes.task_api_messages import Message


# ---- scheduler -> worker ---------------------------------------------------------------------------------------------
class Hello(Message, frozen=True, kw_only=True, tag=True):
    """First message of a scheduler on a worker's socket."""

    scheduler_id: str


class SubmitAttempts(Message, frozen=True, kw_only=True, tag=True):
    """Start these; idempotent by attempt id; refused when the epoch is below the highest seen for the group."""

    attempts: tuple[Attempt, ...]


class CancelAttempt(Message, frozen=True, kw_only=True, tag=True):
    """SIGTERM, `on_kill`, then SIGKILL after `grace_s`. The attempt still ends with a result."""

    attempt_id: str
    reason: str
    grace_s: float = 60.0


class AcknowledgeResults(Message, frozen=True, kw_only=True, tag=True):
    """The store has these results: forget them."""

    attempt_ids: tuple[str, ...]


class RequestInventory(Message, frozen=True, kw_only=True, tag=True):
    """Take-over: what do you hold of these (group, epoch) pairs? Answered by `Inventory`."""

    groups: tuple[tuple[int, int], ...]


# ---- worker -> scheduler ---------------------------------------------------------------------------------------------
class Welcome(Message, frozen=True, kw_only=True, tag=True):
    """Answer to Hello."""

    worker_id: str
    slots: int


class EntryReport(Message, frozen=True, kw_only=True, tag=True):
    """These attempts entered author code: (attempt id, group, instant)."""

    attempts: tuple[tuple[str, int, Instant], ...]


class ResultReport(Message, frozen=True, kw_only=True, tag=True):
    """Results; sent again on every new connection until acknowledged."""

    results: tuple[AttemptResult, ...]


class SubmissionRefused(Message, frozen=True, kw_only=True, tag=True):
    """A submission of a fenced scheduler, counted and dropped."""

    attempt_ids: tuple[str, ...]
    reason: str


class Inventory(Message, frozen=True, kw_only=True, tag=True):
    """running: attempt ids that are queued here or run, with whether they entered; results: unacknowledged ones."""

    worker_id: str
    groups: tuple[int, ...]
    running: tuple[tuple[str, bool], ...]
    results: tuple[AttemptResult, ...]


ToWorker = Hello | SubmitAttempts | CancelAttempt | AcknowledgeResults | RequestInventory
FromWorker = Welcome | EntryReport | ResultReport | SubmissionRefused | Inventory
