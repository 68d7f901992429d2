"""Ends forks of the host that author code makes (`os.fork`, multiprocessing) when they return to the event loop."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Any, NoReturn

from gnomon.services.triggerer.trigger_runner import author_log, current_trigger


def install_fork_guard(loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
    """A fork of this process neither sends on `descriptor` nor continues `loop`: a fork that returns to the loop ends there.

    Two processes with one socket would take each other's messages and run every trigger twice.
    """
    null_descriptor = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    ready: deque[Any] = loop._ready  # type: ignore[attr-defined] # to insert a handle before all others: asyncio has no public call for it

    def after_fork() -> None:
        os.dup2(null_descriptor, descriptor, inheritable=False)
        running = current_trigger.get()
        if running is not None:  # the original process reports its end and cleans up
            running.is_stopped, running.trigger = True, None
        ready.appendleft(asyncio.Handle(_end_copy, (), loop))

    os.register_at_fork(after_in_child=after_fork)


def _end_copy() -> NoReturn:
    try:
        author_log.error(
            "a fork of the trigger host (os.fork) returned to the event loop and was ended; end the fork with os._exit, or use "
            "asyncio.create_subprocess_exec"
        )
    finally:
        os._exit(1)
