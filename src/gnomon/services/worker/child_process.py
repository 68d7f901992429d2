"""One child process, as the worker sees it."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass, field

from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream
from gnomon.author_code.processes.standstill import stop_families
from gnomon.author_code.processes.termination import kill_group
from gnomon.author_code.runner.attempt_protocol import FromChild
from gnomon.author_code.runner.signals import INTERRUPT
from gnomon.services.worker.attempt_registry import PendingAttempt

INTERRUPTS_S = (0.25, 1.0, 5.0)
"""So long after SIGTERM a process gets INTERRUPT."""
PID_MAX = 2**22
"""The largest number of a process that Linux gives."""


@dataclass(slots=True, eq=False)
class ChildProcess:
    """A process that runs attempts, or that is being forked or started for them."""

    number: int
    stream: MessageStream[FromChild]
    created_at: float
    """Monotonic seconds, as all times in this class."""
    zygote: int | None = None
    """The number of its zygote; None for a new interpreter."""
    pid: int | None = None
    pending: PendingAttempt | None = None
    last_message_at: float = 0.0
    """The time of its last message, or of the start of its attempt."""
    attempts: int = 0
    """How many attempts it has received."""
    sigterm_at: float | None = None
    """When SIGTERM was sent first."""
    last_sigterm_at: float = 0.0
    interrupts: int = 0
    """How often INTERRUPT was sent since the last SIGTERM."""
    exiting_since: float | None = None
    """Since when it is expected to exit."""
    is_stopped: bool = False
    """True while it must stand still (`processes/standstill.py`)."""
    kill_reason: str | None = None
    """Why the worker sent SIGKILL."""
    open_log: str | None = None
    """The name of the log that it may write to, while that is marked for upload."""
    writing: bool = field(default=False)

    def set_pid(self, pid: int) -> None:
        """Record the pid, and send the signals that were requested before it was known."""
        self.pid = pid
        if self.is_stopped:
            stop_families((pid,))
        if self.sigterm_at is not None:
            self.signal(signal.SIGTERM)
        if self.kill_reason is not None:
            self.kill(self.kill_reason)

    def signal(self, number: int) -> None:
        """Send the signal if the pid is known and the process exists."""
        if self.pid is not None:
            try:
                os.kill(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return

    def terminate(self, now: float) -> None:
        """Send SIGTERM."""
        self.sigterm_at = now if self.sigterm_at is None else self.sigterm_at
        self.last_sigterm_at, self.interrupts = now, 0
        self.signal(signal.SIGTERM)

    def interrupt(self, now: float) -> None:
        """Send INTERRUPT if it is time: the process may be in a system call that SIGTERM did not end (`runner/signals.py`)."""
        if self.interrupts < len(INTERRUPTS_S) and now - self.last_sigterm_at >= INTERRUPTS_S[self.interrupts]:
            self.interrupts += 1
            self.signal(INTERRUPT)

    def kill(self, reason: str) -> None:
        """Send SIGKILL to the process and its group. The first reason is kept."""
        self.kill_reason = self.kill_reason or reason
        self.signal(signal.SIGKILL)
        if self.pid is not None:
            kill_group(self.pid)


def is_process_number(pid: int) -> bool:
    """Whether a signal to this number reaches one process: 0 and negative numbers name groups, and 1 is the first process of the machine."""
    return 1 < pid <= PID_MAX


def create_child(number: int, now: float, zygote: int | None) -> tuple[ChildProcess, socket.socket]:
    """A child whose process does not exist yet, and the socket for that process. Raises OSError when the machine refuses the sockets."""
    local_socket, remote_socket = socket.socketpair()
    return ChildProcess(
        number, MessageStream(local_socket, FrameDecoder(FromChild)), created_at=now, zygote=zygote
    ), remote_socket
