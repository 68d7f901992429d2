"""The writer's ticket of a SQLite database: an flock on `<db>.ticket`, taken before BEGIN IMMEDIATE.

Writers queue in the kernel instead of polling SQLite's lock, so nobody meets "database is locked". The holder writes
its pid and the time into the file: a process that is frozen while it holds the ticket blocks all writers, and a
supervisor may kill who holds it for longer than `LEASE_TTL_S` (OWNERSHIP.md line 12). The kernel lets go of a dead
process's lock, and SQLite drops its unfinished transaction.
"""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from typing import NamedTuple

from gnomon.clock import Clock
from gnomon.store.errors import WriteLockTimeout
from gnomon.store.transaction import LEASE_TTL_S

WAIT_MAX_S = 30.0
"""How long a writer queues before it gives up: many times what the supervisor lets one holder have."""
_RECORD_BYTES = 48


class LockHolder(NamedTuple):
    """Who may write, and since when by the machine's monotonic clock."""

    pid: int
    since: float


def write_lock_path(database: Path) -> Path:
    """The ticket file beside a database."""
    return database.with_name(database.name + ".ticket")


class WriteLock:
    """One process's hand on the ticket file; held by at most one of its threads at a time."""

    def __init__(self, database: Path, clock: Clock) -> None:
        self._path = write_lock_path(database)
        self._clock = clock
        self._fd = _open_lock_file(self._path)

    def acquire(self) -> None:
        """This process alone may write; WriterStuck after WAIT_MAX_S in the queue."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._queue()
        os.pwrite(self._fd, f"{os.getpid()} {self._clock.monotonic():.6f}\n".ljust(_RECORD_BYTES).encode(), 0)

    def release(self) -> None:
        """The next writer in the queue may write."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """The file is closed, and with it any hold on the ticket."""
        os.close(self._fd)

    def _queue(self) -> None:
        """Wait in the kernel's queue. flock knows no deadline, so a thread waits on a description of its own."""
        waiter = _LockWaiter(_open_lock_file(self._path))
        if not waiter.wait(WAIT_MAX_S):
            found = find_lock_holder(self._path)
            who = f"process {found.pid} holds it" if found else "it is contended"
            raise WriteLockTimeout(
                f"waited {WAIT_MAX_S:.0f} s for the right to write to {self._path.name.removesuffix('.ticket')}: {who}; "
                "end that process if it hangs"
            )
        os.close(self._fd)
        self._fd = waiter.fd


class _LockWaiter:
    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._guard = threading.Lock()
        self._locked = threading.Event()
        self._is_abandoned = False
        threading.Thread(target=self._lock, name="ticket", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        if self._locked.wait(timeout_s):
            return True
        with self._guard:
            if self._locked.is_set():
                return True
            self._is_abandoned = True
            return False

    def _lock(self) -> None:
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        with self._guard:
            if self._is_abandoned:
                os.close(self.fd)
            else:
                self._locked.set()


def find_lock_holder(path: Path) -> LockHolder | None:
    """Who holds the ticket in the file now; None when nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_holder(fd)
    finally:
        os.close(fd)
    return None


def find_overdue_holder(path: Path, now: float, ttl_s: float = LEASE_TTL_S) -> int | None:
    """The pid of a process that has held the ticket for longer than `ttl_s`; `now` by the monotonic clock."""
    found = find_lock_holder(path)
    if found is None or now - found.since <= ttl_s:
        return None
    return found.pid if find_lock_holder(path) == found else None


def _read_holder(fd: int) -> LockHolder | None:
    try:
        pid, since = os.pread(fd, _RECORD_BYTES, 0).split()
        return LockHolder(int(pid), float(since))
    except ValueError:
        return None


def _open_lock_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
