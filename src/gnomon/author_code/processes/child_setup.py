"""What a process does before author code runs in it: in a new interpreter, or in a fork."""

from __future__ import annotations

import faulthandler
import io
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterable
from types import FrameType

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.host_process import SOCKET_FD
from gnomon.author_code.processes.kernel import HOST_OOM_SCORE, die_with_parent, raise_oom_score
from gnomon.ground.config import (
    Config,
    current_config,
    environment,
    replace_environment,
    set_current_config,
    without_secrets,
)

DESCRIPTORS_MAX = 65_536
"""No process that starts a host has an inheritable descriptor above this number."""
FORBIDDEN_MODULES = ("gnomon.storage.store", "sqlalchemy", "psycopg", "sqlite3", "fastapi")
"""Modules that must not be imported in a process that author code runs in."""


def check_store_not_imported() -> None:
    """Raises RuntimeError when a module of FORBIDDEN_MODULES is imported in this process."""
    for name in FORBIDDEN_MODULES:
        if name in sys.modules:
            raise RuntimeError(f"a process of author code must not import {name}")


def set_up_host_process(ignored: Iterable[signal.Signals]) -> None:
    """Set up a new interpreter: own session, no inherited descriptor but SOCKET_FD, a stack dump at a crash, a raised OOM score.

    `ignored`: signals that the parent handles for this process too; programs and forks of author code do not ignore them. Raises RuntimeError as `check_store_not_imported` does.
    """
    check_store_not_imported()
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.closerange(SOCKET_FD + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], DESCRIPTORS_MAX))
    for number in ignored:
        author_forks.install_handler(number, _ignore_signal)
        signal.siginterrupt(number, False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _dump_stack_at_crash()
    raise_oom_score(HOST_OOM_SCORE)


def _ignore_signal(number: int, _frame: FrameType | None) -> None:
    """Do nothing: SIG_IGN would be inherited by every program that author code starts."""
    author_forks.end_by_signal_in_fork(number)


def set_up_forked_child(parent: int, output: int) -> None:
    """Set up a fork: own session, default signals, stdout and stderr to the descriptor `output`, a stack dump at a crash.

    The kernel kills this process when `parent`, the pid of the process that forked it, ends.
    """
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent(signal.SIGKILL)
    exit_if_orphaned(parent)
    raise_oom_score(HOST_OOM_SCORE)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout = sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), errors="backslashreplace", write_through=True
    )
    _dump_stack_at_crash()


def _dump_stack_at_crash() -> None:
    faulthandler.enable(file=2, all_threads=False)


def exit_if_orphaned(parent: int) -> None:
    """End this process at once, without any clean-up, when `parent` is no longer the pid of its parent."""
    if os.getppid() != parent:
        os._exit(1)


def hide_secrets(*, in_environment: bool = False) -> Config:
    """Remove secret options from the current configuration, and return it.

    `in_environment`: remove the variables that hold secrets too; a fork needs that, a new interpreter is started without them.
    """
    cfg = current_config()
    if in_environment:
        replace_environment(without_secrets(environment(), cfg.database_url))
    public = cfg.for_author_code()
    set_current_config(public)
    return public


def inherited_socket() -> socket.socket:
    """In a new interpreter: the socket to the process that started it. Processes that this one starts do not inherit it."""
    sock = socket.socket(fileno=SOCKET_FD)
    sock.set_inheritable(False)
    return sock
