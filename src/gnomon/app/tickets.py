"""Ends a process that is frozen while it may write to a SQLite database: everybody else waits for it (OWNERSHIP.md line 12)."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.store.address import SQLITE, parse_address
from gnomon.store.ticket import overdue, ticket_path
from gnomon.wakeups import StopFlag

WATCH_S = 0.4
"""Between two looks: with the ticket's time to live, writers wait less than 5 s."""
_log = log.get("app.tickets")


def watch(url: str) -> int:
    """Until told to stop: whoever holds the writer's ticket of this database for too long is killed."""
    address = parse_address(url)
    if address.dialect != SQLITE:
        return 0
    stop = StopFlag().listen()
    clock = SystemClock()
    path = ticket_path(address.path)
    while not stop():
        end_overdue(path, clock.monotonic())
        select.select([stop], [], [], WATCH_S)
    return 0


def end_overdue(path: Path, now: float) -> int | None:
    """The process that held the ticket for too long was killed; returns its id, None when there is none."""
    pid = overdue(path, now)
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
