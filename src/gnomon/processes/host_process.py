"""New interpreters: for author code, which shares no memory, no descriptor and no environment with who starts it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec

from gnomon.processes import termination
from gnomon.processes.message_stream import FrameDecoder, MessageStream

SOCKET_FD = 3
"""The descriptor by which a new interpreter speaks to who started it."""


def spawn_interpreter(module: str, sock: socket.socket, environ: Mapping[str, str], output: int | None = None) -> int:
    """The pid of `python -m module` with `sock` as SOCKET_FD, no other descriptor of ours, and this environment.

    What it prints goes to the descriptor `output`; without one, where this process prints. OSError when the machine refuses.
    """
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    ]
    if output is not None:
        actions += [(os.POSIX_SPAWN_DUP2, output, number) for number in (1, 2)]
    if sock.fileno() == SOCKET_FD:
        sock.set_inheritable(True)
    else:
        actions.append((os.POSIX_SPAWN_DUP2, sock.fileno(), SOCKET_FD))
    return os.posix_spawn(sys.executable, [sys.executable, "-P", "-m", module], dict(environ), file_actions=actions)


T = TypeVar("T")


class HostProcess(Generic[T]):
    """A running host process that says messages of type T. Only `wait` waits for it."""

    def __init__(
        self, module: str, environ: Mapping[str, str], pair: tuple[socket.socket, socket.socket], splitter: FrameDecoder[T],
        output: int | None = None,
    ) -> None:
        """`python -m module` starts now and speaks over the second of the pair; OSError when the machine refuses.

        What it prints goes to the descriptor `output`; without one, where this process prints.
        """
        ours, theirs = pair
        try:
            self.pid = spawn_interpreter(module, theirs, environ, output)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self.exit_code: int | None = None
        self.link: MessageStream[T] = MessageStream(ours, splitter)

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
            termination.kill_with_group(self.pid)
        self.link.close()

    def wait(self, at_most_s: float) -> None:
        """It has ended, or had so long to."""
        termination.wait_for_exit(self.pid, at_most_s)

    def is_reaped(self) -> bool:
        """Whether it has ended; one that even SIGKILL does not end at once sits in a system call (a dead network drive)."""
        if self.exit_code is None:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                found, status = self.pid, 0
            self.exit_code = os.waitstatus_to_exitcode(status) if found else None
        return self.exit_code is not None
