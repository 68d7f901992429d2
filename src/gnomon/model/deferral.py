"""Deferral: the trigger that a task waits for without a process, the result of the wait, and how the task resumes.

Values of authors are typed JSON text (`serde`), because only author code may decode them; the store encrypts them.
"""

from __future__ import annotations

import msgspec

from gnomon.model.hitl import HITLRequest, HITLResponse
from gnomon.model.instants import Instant

EMPTY_KWARGS = "{}"
"""No keyword arguments, as typed JSON."""


class Deferral(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The trigger and the method that an attempt names when it defers, or that a task with `start_from_trigger` starts with."""

    classpath: str
    """`package.module.Class` of the trigger; for a timer, which is not instantiated again, the class that the author wrote."""
    kwargs: str = EMPTY_KWARGS
    """The arguments of the class; empty for a timer."""
    next_method: str | None = None
    """The operator's method that the task resumes in; None: the event itself must finish the task."""
    next_kwargs: str = EMPTY_KWARGS
    timeout_s: float | None = None
    """The timeout in seconds, from the deferral on; None: no timeout."""
    queue: str | None = None
    """The queue of triggerers that may run the trigger; None: any triggerer."""
    due_at: Instant | None = None
    """For a timer: when it fires. The scheduler keeps the timer, and no triggerer runs it."""
    due_in_s: float | None = None
    """For a timer of a task with `start_from_trigger`: seconds from the deferral on, because the instant is not known yet."""
    hitl: HITLRequest | None = None
    """The question of a task that waits for a person. The owner waits for the answer itself, until `due_at` if that is set."""
    ends_task: bool = False
    """The timer finishes its task as success (`end_from_trigger`)."""


class DeferralResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a deferral: the first event of the trigger, or why no event will come."""

    outcome: str
    """event: the task resumes with it | success, failed, skipped: the event finishes the task | error: the trigger raised,
    returned without an event, or yielded something that is not an event | timeout"""
    payload: str = "null"
    """The payload of an event."""
    due_at: Instant | None = None
    """For a timer: the instant that is the payload of its event."""
    response: HITLResponse | None = None
    """For a task that waited for a person: the answer."""
    xcoms: dict[str, str] = {}
    """The XComs that an event which finishes the task pushes, by key."""
    reason: str | None = None
    """One line for users: the error, or the reason of the event."""
    traceback: str | None = None

    @property
    def ends_task(self) -> bool:
        """True for an event that finishes the task itself."""
        return self.outcome in ("success", "failed", "skipped")

    @property
    def is_bare(self) -> bool:
        """True when the result holds nothing that came from author code."""
        return (
            self.payload == "null"
            and self.response is None
            and not self.xcoms
            and self.reason is None
            and self.traceback is None
        )

    @property
    def size(self) -> int:
        """The number of characters that came from author code, approximately."""
        return (
            len(self.payload) + sum(map(len, self.xcoms.values())) + len(self.reason or "") + len(self.traceback or "")
        )


class Resumption(msgspec.Struct, frozen=True, kw_only=True):
    """The method that an attempt calls instead of `execute`, and the result of the deferral."""

    next_method: str
    next_kwargs: str = EMPTY_KWARGS
    result: DeferralResult = msgspec.field(name="fired")
    """Sent under its former name, which messages of remote attempts have."""
