"""Kills a process that is stopped inside a SQLite write transaction while all other writers wait: TAKE_OVER in docs/discussions/ownership.md."""

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
"""Interval between checks: together with the time to live of the write lock, writers wait less than 5 s."""
_log = log.get_logger("app.tickets")


def watch_write_lock(url: str) -> int:
    """Until a stop signal: kill each process that holds the write lock of this database for too long; returns the exit code."""
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
    """Kill the process that has held the write lock for too long; returns its process id, None when there is none."""
    pid = find_overdue_holder(path, now)
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    except PermissionError:
        _log.error("writer_stuck", pid=pid, remedy="the process belongs to another user; end it by hand")
        return None
    _log.warning("writer_killed", pid=pid, reason="the process was stopped inside a write transaction, and all other writers waited for it")
    return pid
