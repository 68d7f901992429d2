"""The worker's end of one child process."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass, field

from gnomon.processes.message_stream import FrameDecoder, MessageStream
from gnomon.processes.termination import kill_group
from gnomon.runner.attempt_protocol import FromChild
from gnomon.worker.attempt_registry import PendingAttempt


@dataclass(slots=True, eq=False)
class ChildProcess:
    """A process that was, or is about to be, forked or started for attempts."""

    number: int
    stream: MessageStream[FromChild]
    created_at: float
    """Monotonic, as all times here."""
    zygote: int | None = None
    """The number of its zygote; None for a new interpreter."""
    pid: int | None = None
    pending: PendingAttempt | None = None
    last_message_at: float = 0.0
    """The last sign of life since it was given its attempt."""
    attempts: int = 0
    """How many it was given so far."""
    sigterm_at: float | None = None
    """When SIGTERM was sent."""
    exiting_since: float | None = None
    """When it had said its last word; it has a few seconds to be gone."""
    kill_reason: str | None = None
    """Why the worker sent SIGKILL."""
    writing: bool = field(default=False)

    def set_pid(self, pid: int) -> None:
        """The process is known from now on; what it was to be told before, it is told now."""
        self.pid = pid
        if self.sigterm_at is not None:
            self.signal(signal.SIGTERM)
        if self.kill_reason is not None:
            self.kill(self.kill_reason)

    def signal(self, number: int) -> None:
        """The process gets the signal, if it is known and there."""
        if self.pid is not None:
            try:
                os.kill(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return

    def kill(self, why: str) -> None:
        """SIGKILL to the process and its group."""
        self.kill_reason = self.kill_reason or why
        self.signal(signal.SIGKILL)
        if self.pid is not None:
            kill_group(self.pid)


def create_child(number: int, now: float, zygote: int | None) -> tuple[ChildProcess, socket.socket]:
    """A child that does not exist yet, and the end of its socket that it is to get."""
    ours, theirs = socket.socketpair()
    return ChildProcess(number, MessageStream(ours, FrameDecoder(FromChild)), created_at=now, zygote=zygote), theirs
