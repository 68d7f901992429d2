"""New interpreters: for author code, which shares no memory, no descriptor and no environment with who starts it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping

SOCKET_FD = 3
"""The descriptor by which a new interpreter speaks to who started it."""


def start(module: str, sock: socket.socket, environ: Mapping[str, str], output: int | None = None) -> int:
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


def given_socket() -> socket.socket:
    """In a new interpreter: the socket to who started it. What this process starts does not have it."""
    sock = socket.socket(fileno=SOCKET_FD)
    sock.set_inheritable(False)
    return sock
