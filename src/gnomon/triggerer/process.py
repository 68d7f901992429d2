"""One host process, from the keeper's side: started, spoken to, ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping

import msgspec

from gnomon.triggerer.messages import FromHost
from gnomon.wire.frames import Splitter
from gnomon.wire.links import Link

MODULE = "gnomon.triggerer.child"
_SOCKET_FD = 3
REAP_S = 0.5
_BUFFER = 1024 * 1024
"""Of the socket: what a burst of events needs."""


class HostProcess:
    """A running host. Nothing here waits for it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """It starts now; OSError when the machine refuses. What it prints goes where this process prints."""
        self.exit_code: int | None = None
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        try:
            self.pid = os.posix_spawn(
                sys.executable, [sys.executable, "-P", "-m", MODULE], dict(environ), file_actions=_descriptors(theirs)
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        splitter: Splitter[FromHost] = Splitter(FromHost)
        self.link: Link[FromHost] = Link(ours, splitter)

    def fileno(self) -> int:
        return self.link.sock.fileno()

    def put(self, message: msgspec.Struct) -> None:
        """It goes with the next `flush`."""
        self.link.put(message)

    def flush(self) -> bool:
        """What waits is on its way; False when the socket takes no more for now."""
        return self.link.flush()

    def kill(self) -> None:
        """It and what it started are killed; nothing is heard from it any more."""
        if not self.is_reaped():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.link.close()

    def wait(self) -> None:
        """It has ended by itself, or had REAP_S to: it closes its socket a moment before it is gone."""
        with contextlib.suppress(OSError, AttributeError):  # no pidfd: not Linux, or gone already
            ended = os.pidfd_open(self.pid)
            try:
                select.select([ended], [], [], REAP_S)
            finally:
                os.close(ended)

    def is_reaped(self) -> bool:
        """Whether the process has ended."""
        if self.exit_code is None:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                found, status = self.pid, 0
            self.exit_code = os.waitstatus_to_exitcode(status) if found else None
        return self.exit_code is not None


def _descriptors(sock: socket.socket) -> list[tuple[int, int, str, int, int] | tuple[int, int, int]]:
    """Standard input is empty, the socket is descriptor 3."""
    if sock.fileno() == _SOCKET_FD:
        sock.set_inheritable(True)
        last: list[tuple[int, int, int]] = []
    else:
        last = [(os.POSIX_SPAWN_DUP2, sock.fileno(), _SOCKET_FD)]
    return [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), *last]
