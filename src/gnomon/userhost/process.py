"""One host process, from the side that asks: started, spoken to, ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping

import msgspec

from gnomon.userhost.messages import FromHost
from gnomon.wire.frames import Splitter
from gnomon.wire.links import Link

MODULE = "gnomon.userhost.child"
_SOCKET_FD = 3
REAP_S = 0.2
"""How long the end of a process that was killed is waited for."""
WORDS_MAX = 8_000
"""Bytes of its output that explain how it ended."""


class HostProcess:
    """A running host process. Nothing here waits for it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """It starts now; OSError when the machine refuses."""
        self._exit_code: int | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        ours, theirs = socket.socketpair()
        try:
            self.pid = os.posix_spawn(
                sys.executable, [sys.executable, "-P", "-m", MODULE], dict(environ),
                file_actions=_descriptors(theirs, self._output.fileno()),
            )
        except OSError:
            ours.close()
            self._output.close()
            raise
        finally:
            theirs.close()
        splitter: Splitter[FromHost] = Splitter(FromHost)
        self.link: Link[FromHost] = Link(ours, splitter)

    def fileno(self) -> int:
        return self.link.sock.fileno()

    def say(self, message: msgspec.Struct) -> None:
        """It is on its way."""
        self.link.put(message)
        self.link.flush()

    def explain_yourself(self) -> None:
        """It writes where it is, and ends: a signal that no Python code can hold up."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGABRT)

    def end(self) -> tuple[int, str]:
        """It and what it started are killed; its exit code (negative: a signal) and its last words."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        code = self._reaped()
        self.link.close()
        with self._output:
            size = self._output.seek(0, os.SEEK_END)
            self._output.seek(max(0, size - WORDS_MAX))
            return code, self._output.read().decode(errors="replace")


    def is_reaped(self) -> bool:
        """Whether the process has ended; one that even SIGKILL does not end at once sits in a system call (a dead network drive)."""
        if self._exit_code is None:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                found, status = self.pid, 0
            self._exit_code = os.waitstatus_to_exitcode(status) if found else None
        return self._exit_code is not None

    def _reaped(self) -> int:
        """Its exit code, if it ends within REAP_S; else that of the signal which will end it."""
        with contextlib.suppress(OSError, AttributeError):  # no pidfd: not Linux, or gone already
            ended = os.pidfd_open(self.pid)
            try:
                select.select([ended], [], [], REAP_S)
            finally:
                os.close(ended)
        self.is_reaped()
        return -signal.SIGKILL if self._exit_code is None else self._exit_code


def _descriptors(sock: socket.socket, output: int) -> list[tuple[int, int, str, int, int] | tuple[int, int, int]]:
    """Standard input is empty, output goes to the file, the socket is descriptor 3."""
    if sock.fileno() == _SOCKET_FD:
        sock.set_inheritable(True)
        last: list[tuple[int, int, int]] = []
    else:
        last = [(os.POSIX_SPAWN_DUP2, sock.fileno(), _SOCKET_FD)]
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2), *last,
    ]
