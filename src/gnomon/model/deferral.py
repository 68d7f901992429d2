"""A task that waits without a process: what it waits for, what it goes on with, and what became of the wait.

Values travel as typed JSON text (`serde`), because only author code may look into them; at rest they are encrypted.
"""

from __future__ import annotations

import msgspec

from gnomon.model.instants import Instant

EMPTY_KWARGS = "{}"
"""No keyword arguments, as typed JSON."""


class Deferral(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an attempt hands over when it defers; for a task that starts from its trigger, what it begins with."""

    classpath: str
    """`package.module.Class` of the trigger; of a timer, which nobody makes again, the one that the author wrote."""
    kwargs: str = EMPTY_KWARGS
    """What the class is called with. A timer's time says all."""
    next_method: str | None = None
    """The operator's method that goes on; None: the event itself has to end the task."""
    next_kwargs: str = EMPTY_KWARGS
    timeout_s: float | None = None
    """From the deferral on; None: as long as it takes."""
    queue: str | None = None
    """Triggerers that listen to it take it; None: any."""
    due_at: Instant | None = None
    """Of an exact time trigger: when it fires. The owner keeps the time, and no triggerer is asked."""
    due_in_s: float | None = None
    """The same, from the deferral on: a task that starts from its trigger knows no instant yet."""
    ends_task: bool = False
    """A timer that ends its task as a success (`end_from_trigger`)."""


class DeferralResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a wait ended: the first event of its trigger, or why there will be none."""

    outcome: str
    """event: the task goes on with it | success, failed, skipped: the event ends the task | error: the trigger raised, ended
    without an event, or yielded something else | timeout"""
    payload: str = "null"
    """Of an event: what it carries."""
    due_at: Instant | None = None
    """Of a timer: the instant that its event carries instead of a payload."""
    xcoms: dict[str, str] = {}
    """Of an event that ends the task: what it pushes, by key."""
    reason: str | None = None
    """One line for people: the error, or what the ending event says."""
    traceback: str | None = None

    @property
    def ends_task(self) -> bool:
        """An event that ends the task itself."""
        return self.outcome in ("success", "failed", "skipped")

    @property
    def is_bare(self) -> bool:
        """It carries nothing that came from author code."""
        return self.payload == "null" and not self.xcoms and self.reason is None and self.traceback is None

    @property
    def size(self) -> int:
        """Characters of what came from author code, about."""
        return len(self.payload) + sum(map(len, self.xcoms.values())) + len(self.reason or "") + len(self.traceback or "")


class Resumption(msgspec.Struct, frozen=True, kw_only=True):
    """With what an attempt goes on instead of calling `execute`."""

    next_method: str
    next_kwargs: str = EMPTY_KWARGS
    fired: DeferralResult
