"""Copies of the host that author code makes (`os.fork`, multiprocessing): they do their own work, and never the triggers'."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Any, NoReturn

from gnomon.triggerer.trigger_runner import author_log, current_trigger


def install_fork_guard(loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
    """A copy of this process neither speaks on `descriptor` nor goes on in `loop`: one that comes back to it ends there.

    Two processes on one loop would take each other's messages, and run every trigger twice.
    """
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    ready: deque[Any] = loop._ready  # type: ignore[attr-defined] # before all that waits there: no public call does that

    def in_the_copy() -> None:
        os.dup2(nowhere, descriptor, inheritable=False)
        running = current_trigger.get()
        if running is not None:  # what becomes of it is told by the original, which also cleans up
            running.is_stopped, running.trigger = True, None
        ready.appendleft(asyncio.Handle(_end_copy, (), loop))

    os.register_at_fork(after_in_child=in_the_copy)


def _end_copy() -> NoReturn:
    try:
        author_log.error(
            "a copy of the triggerer's process (os.fork) came back into its loop and was ended; end it with os._exit, or use "
            "asyncio.create_subprocess_exec"
        )
    finally:
        os._exit(1)
