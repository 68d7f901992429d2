"""A new interpreter, before author code runs in it."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterable

from gnomon.processes.host_process import SOCKET_FD
from gnomon.processes.kernel import HOST_OOM_SCORE, raise_oom_score

DESCRIPTORS_MAX = 65_536
"""Above it, nobody who starts a host process has an inheritable one."""
FORBIDDEN_MODULES = ("gnomon.store", "sqlalchemy", "psycopg", "sqlite3", "fastapi")
"""What must not be in a process that author code runs in."""


def check_store_not_imported() -> None:
    """RuntimeError when something of the store is in this process."""
    for name in FORBIDDEN_MODULES:
        if name in sys.modules:
            raise RuntimeError(f"a process of author code must not import {name}")


def set_up_host_process(ignored: Iterable[signal.Signals]) -> None:
    """A host process is a process of its own: own session, no descriptor of who started it, crashes explained on its output.

    `ignored`: the signals that are for who started it, which ends it in good order. RuntimeError: see `check_store_not_imported`.
    """
    check_store_not_imported()
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.closerange(SOCKET_FD + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], DESCRIPTORS_MAX))
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(file=2, all_threads=False)
    raise_oom_score(HOST_OOM_SCORE)


def inherited_socket() -> socket.socket:
    """In a new interpreter: the socket to who started it. What this process starts does not have it."""
    sock = socket.socket(fileno=SOCKET_FD)
    sock.set_inheritable(False)
    return sock
