"""The messages between a scheduler and a worker, on the Unix socket of the worker, framed by `processes.message_stream`."""

from __future__ import annotations

from gnomon.author_code.processes.task_api_messages import Message
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant


# ---- scheduler -> worker ---------------------------------------------------------------------------------------------
class Hello(Message, frozen=True, kw_only=True, tag=True):
    """First message of a scheduler on a worker's socket."""

    scheduler_id: str


class SubmitAttempts(Message, frozen=True, kw_only=True, tag=True):
    """Start these attempts; idempotent by attempt id. Refused when the epoch is below the highest that the worker has received for the group."""

    attempts: tuple[Attempt, ...]


class CancelAttempt(Message, frozen=True, kw_only=True, tag=True):
    """SIGTERM, `on_kill`, then SIGKILL after `grace_s`. The attempt still ends with a result."""

    attempt_id: str
    reason: str
    grace_s: float = 60.0


class AcknowledgeResults(Message, frozen=True, kw_only=True, tag=True):
    """The store has these results: delete them."""

    attempt_ids: tuple[str, ...]


class RequestInventory(Message, frozen=True, kw_only=True, tag=True):
    """After a take-over: request the attempts and results of these (group, epoch) pairs. Answered by `Inventory`."""

    groups: tuple[tuple[int, int], ...]


# ---- worker -> scheduler ---------------------------------------------------------------------------------------------
class Welcome(Message, frozen=True, kw_only=True, tag=True):
    """The answer to Hello; sent again when the number of slots changes."""

    worker_id: str
    slots: int


class EntryReport(Message, frozen=True, kw_only=True, tag=True):
    """(attempt id, group, instant) of attempts that entered author code."""

    attempts: tuple[tuple[str, int, Instant], ...]


class ResultReport(Message, frozen=True, kw_only=True, tag=True):
    """Results; sent again on every new connection until acknowledged."""

    results: tuple[AttemptResult, ...]


class SubmissionRefused(Message, frozen=True, kw_only=True, tag=True):
    """These attempts of a fenced scheduler were refused."""

    attempt_ids: tuple[str, ...]
    reason: str


class Inventory(Message, frozen=True, kw_only=True, tag=True):
    """The attempts and results of these groups."""

    worker_id: str
    groups: tuple[int, ...]
    running: tuple[tuple[str, bool], ...]
    """(attempt id, True once author code was entered) of attempts that are queued or run."""
    results: tuple[AttemptResult, ...]


ToWorker = Hello | SubmitAttempts | CancelAttempt | AcknowledgeResults | RequestInventory
FromWorker = Welcome | EntryReport | ResultReport | SubmissionRefused | Inventory
