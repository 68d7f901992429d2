"""Ends a process that is frozen while it may write to a SQLite database: everybody else waits for it (OWNERSHIP.md line 12)."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.store.drivers.address import SQLITE, parse_address
from gnomon.store.drivers.write_lock import find_overdue_holder, write_lock_path
from gnomon.wakeups import StopFlag

CHECK_EVERY_S = 0.4
"""Between two looks: with the ticket's time to live, writers wait less than 5 s."""
_log = log.get_logger("app.tickets")


def watch_write_lock(url: str) -> int:
    """Until told to stop: whoever holds the writer's ticket of this database for too long is killed."""
    address = parse_address(url)
    if address.dialect != SQLITE:
        return 0
    stop = StopFlag().install_handlers()
    clock = SystemClock()
    path = write_lock_path(address.path)
    while not stop():
        kill_overdue_holder(path, clock.monotonic())
        select.select([stop], [], [], CHECK_EVERY_S)
    return 0


def kill_overdue_holder(path: Path, now: float) -> int | None:
    """The process that held the ticket for too long was killed; returns its id, None when there is none."""
    pid = find_overdue_holder(path, now)
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    except PermissionError:
        _log.error("writer_stuck", pid=pid, remedy="it belongs to another user; end it by hand")
        return None
    _log.warning("writer_killed", pid=pid, reason="it was stopped inside a transaction and everybody waited for it")
    return pid
