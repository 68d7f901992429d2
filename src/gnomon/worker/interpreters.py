"""New interpreters: for attempts that cannot be forked, and for the base zygote."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping

CHILD = "gnomon.runner.fresh"
ZYGOTE = "gnomon.worker.zygote"
_SOCKET_FD = 3


def start(module: str, sock: socket.socket, environ: Mapping[str, str]) -> int:
    """The pid of `python -m module` with `sock` as descriptor 3, no other descriptor of ours, and this environment."""
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    ]
    if sock.fileno() == _SOCKET_FD:
        sock.set_inheritable(True)
    else:
        actions.append((os.POSIX_SPAWN_DUP2, sock.fileno(), _SOCKET_FD))
    return os.posix_spawn(sys.executable, [sys.executable, "-P", "-m", module], dict(environ), file_actions=actions)
