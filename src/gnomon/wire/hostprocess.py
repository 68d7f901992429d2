"""One host process, an interpreter that author code runs in, from the other end of its socket: started, spoken to, ended."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec

from gnomon.processes import ending, interpreters
from gnomon.wire.frames import Splitter
from gnomon.wire.links import Link

T = TypeVar("T")


class HostProcess(Generic[T]):
    """A running host process that says messages of type T. Only `wait` waits for it."""

    def __init__(
        self, module: str, environ: Mapping[str, str], pair: tuple[socket.socket, socket.socket], splitter: Splitter[T],
        output: int | None = None,
    ) -> None:
        """`python -m module` starts now and speaks over the second of the pair; OSError when the machine refuses.

        What it prints goes to the descriptor `output`; without one, where this process prints.
        """
        ours, theirs = pair
        try:
            self.pid = interpreters.start(module, theirs, environ, output)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self.exit_code: int | None = None
        self.link: Link[T] = Link(ours, splitter)

    def fileno(self) -> int:
        return self.link.sock.fileno()

    def put(self, message: msgspec.Struct) -> None:
        """It goes with the next `flush`."""
        self.link.put(message)

    def flush(self) -> bool:
        """What waits is on its way; False when the socket takes no more for now."""
        return self.link.flush()

    def kill(self) -> None:
        """It and what it started are killed, also when it has ended by itself; nothing is heard from it any more."""
        if self.exit_code is None:
            ending.kill(self.pid)
        self.link.close()

    def wait(self, at_most_s: float) -> None:
        """It has ended, or had so long to."""
        ending.wait(self.pid, at_most_s)

    def is_reaped(self) -> bool:
        """Whether it has ended; one that even SIGKILL does not end at once sits in a system call (a dead network drive)."""
        if self.exit_code is None:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                found, status = self.pid, 0
            self.exit_code = os.waitstatus_to_exitcode(status) if found else None
        return self.exit_code is not None
