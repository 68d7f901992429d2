"""Messages on Gnomon's pipes. Frames are a 4-byte big-endian length and msgpack; see `wire.frames`.

Three conversations: scheduler and worker (a Unix socket that the worker listens on), worker and zygote, and child and
its parent (task child and worker, or parse child and dag-processor).
"""

from __future__ import annotations

import msgspec

from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.questions import AnyQuestion
from gnomon.model.spec import ParsedFile


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of all messages; the class name is the tag."""


# ---- scheduler -> worker ---------------------------------------------------------------------------------------------
class Hello(Message, frozen=True, kw_only=True, tag=True):
    """First message of a scheduler on a worker's socket."""

    scheduler_id: str


class Submit(Message, frozen=True, kw_only=True, tag=True):
    """Start these; idempotent by attempt id; refused when the epoch is below the highest seen for the group."""

    attempts: tuple[Attempt, ...]


class Cancel(Message, frozen=True, kw_only=True, tag=True):
    """SIGTERM, `on_kill`, then SIGKILL after `grace_s`. The attempt still ends with a result."""

    attempt_id: str
    reason: str
    grace_s: float = 60.0


class Acknowledge(Message, frozen=True, kw_only=True, tag=True):
    """The store has these results: forget them."""

    attempt_ids: tuple[str, ...]


class AskInventory(Message, frozen=True, kw_only=True, tag=True):
    """Take-over: what do you hold of these (group, epoch) pairs? Answered by `Inventory`."""

    groups: tuple[tuple[int, int], ...]


# ---- worker -> scheduler ---------------------------------------------------------------------------------------------
class Welcome(Message, frozen=True, kw_only=True, tag=True):
    """Answer to Hello."""

    worker_id: str
    slots: int


class Entered(Message, frozen=True, kw_only=True, tag=True):
    """These attempts entered author code: (attempt id, group, instant)."""

    attempts: tuple[tuple[str, int, Instant], ...]


class Ended(Message, frozen=True, kw_only=True, tag=True):
    """Results; sent again on every new connection until acknowledged."""

    results: tuple[AttemptResult, ...]


class Refused(Message, frozen=True, kw_only=True, tag=True):
    """A submission of a fenced scheduler, counted and dropped."""

    attempt_ids: tuple[str, ...]
    reason: str


class Inventory(Message, frozen=True, kw_only=True, tag=True):
    """running: attempt ids that are queued here or run, with whether they entered; results: unacknowledged ones."""

    worker_id: str
    groups: tuple[int, ...]
    running: tuple[tuple[str, bool], ...]
    results: tuple[AttemptResult, ...]


# ---- child -> parent -------------------------------------------------------------------------------------------------
class ChildReady(Message, frozen=True, kw_only=True, tag=True):
    """The child waits for its attempt."""

    pid: int


class ChildEntered(Message, frozen=True, kw_only=True, tag=True):
    """The next thing that runs is `execute`."""

    at: Instant


class Ask(Message, frozen=True, kw_only=True, tag=True):
    """A question of author code."""

    number: int
    question: AnyQuestion


class ChildDone(Message, frozen=True, kw_only=True, tag=True):
    """The one frame with all of an attempt's outcome."""

    result: AttemptResult


class ParseDone(Message, frozen=True, kw_only=True, tag=True):
    """The one frame with all of a parse's outcome."""

    parsed: ParsedFile


# ---- parent -> child -------------------------------------------------------------------------------------------------
class Begin(Message, frozen=True, kw_only=True, tag=True):
    """Run this attempt now."""

    attempt: Attempt


class Answer(Message, frozen=True, kw_only=True, tag=True):
    """The answer to question `number`; `error` is set when it was refused."""

    number: int
    value: object = None
    error: str | None = None


ToWorker = Hello | Submit | Cancel | Acknowledge | AskInventory
FromWorker = Welcome | Entered | Ended | Refused | Inventory
FromChild = ChildReady | ChildEntered | Ask | ChildDone | ParseDone
ToChild = Begin | Answer
