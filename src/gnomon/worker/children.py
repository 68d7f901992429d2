"""The worker's end of one child process."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass, field

from gnomon.processes.ending import kill_group
from gnomon.wire.frames import Splitter
from gnomon.wire.links import Link
from gnomon.wire.messages import FromChild
from gnomon.worker.ledger import Held


@dataclass(slots=True, eq=False)
class Child:
    """A process that was, or is about to be, forked or started for attempts."""

    number: int
    link: Link[FromChild]
    born_at: float
    """Monotonic, as all times here."""
    zygote: int | None = None
    """The number of its zygote; None for a new interpreter."""
    pid: int | None = None
    held: Held | None = None
    heard_at: float = 0.0
    """The last sign of life since it was given its attempt."""
    attempts: int = 0
    """How many it was given so far."""
    told_at: float | None = None
    """When SIGTERM was sent."""
    leaving_at: float | None = None
    """When it had said its last word; it has a few seconds to be gone."""
    killed: str | None = None
    """Why the worker sent SIGKILL."""
    writing: bool = field(default=False)

    def born(self, pid: int) -> None:
        """The process is known from now on; what it was to be told before, it is told now."""
        self.pid = pid
        if self.told_at is not None:
            self.signal(signal.SIGTERM)
        if self.killed is not None:
            self.kill(self.killed)

    def signal(self, number: int) -> None:
        """The process gets the signal, if it is known and there."""
        if self.pid is not None:
            try:
                os.kill(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return

    def kill(self, why: str) -> None:
        """SIGKILL to the process and its group."""
        self.killed = self.killed or why
        self.signal(signal.SIGKILL)
        if self.pid is not None:
            kill_group(self.pid)


def new_child(number: int, now: float, zygote: int | None) -> tuple[Child, socket.socket]:
    """A child that does not exist yet, and the end of its socket that it is to get."""
    ours, theirs = socket.socketpair()
    return Child(number, Link(ours, Splitter(FromChild)), born_at=now, zygote=zygote), theirs
