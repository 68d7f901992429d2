"""The write lock of a SQLite database: an flock on `<db>.ticket`, taken before BEGIN IMMEDIATE.

Writers wait in the kernel's queue instead of polling SQLite's lock, so "database is locked" does not occur. The holder
writes its pid and the time into the file: a process that is frozen while it holds the lock blocks all writers, and those who
wait kill it once it has held the lock for longer than `LEASE_TTL_S` (`stuck_holder.py`; TAKE_OVER in docs/contributing/ownership.md).
The kernel releases the lock of a dead process, and SQLite drops its unfinished transaction.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path

from gnomon.ground.clock import Clock
from gnomon.model.sentences import say
from gnomon.storage.store.drivers.lock_holder import find_lock_holder, write_holder, write_lock_path
from gnomon.storage.store.drivers.stuck_holder import CHECK_EVERY_S, StuckHolderWatch
from gnomon.storage.store.errors import WriteLockTimeout

WAIT_MAX_S = 30.0
"""How long a writer waits for the lock: many times the time after which a stopped holder is killed."""
RETRY_PAUSES_S = (0.0003, 0.0006, 0.0012)
"""The pauses between attempts to take the lock, before a writer waits in the queue of the kernel."""


class WriteLock:
    """The lock file, opened by one process. At most one thread of the process may hold it."""

    def __init__(self, database: Path, clock: Clock, wait_max_s: float = WAIT_MAX_S) -> None:
        self._wait_max_s = wait_max_s
        self._path = write_lock_path(database)
        self._clock = clock
        self._fd = _open_lock_file(self._path)

    def acquire(self) -> None:
        """Wait until this process holds the lock. Raises WriteLockTimeout after `wait_max_s`."""
        if not self._try():
            self._queue()
        write_holder(self._fd, self._clock.monotonic())

    def release(self) -> None:
        """Release the lock: the next process in the queue gets it."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file, which releases the lock."""
        os.close(self._fd)

    def _try(self) -> bool:
        """Take the lock if it is free within a few milliseconds: most holders need less, and a thread that waits costs more."""
        for pause_s in (*RETRY_PAUSES_S, None):
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if pause_s is not None:
                time.sleep(pause_s)
        return False

    def _queue(self) -> None:
        """Wait in the kernel's queue. flock has no timeout, so a thread waits with a file description of its own."""
        waiter = _LockWaiter(_open_lock_file(self._path))
        if not self._wait(waiter):
            holder = find_lock_holder(self._path)
            why = say("process_holds_lock", number=holder.pid) if holder else say("many_processes_write")
            raise WriteLockTimeout(
                say(
                    "write_lock_was_not_free",
                    duration=self._wait_max_s,
                    file=self._path.name.removesuffix(".ticket"),
                    why=why,
                )
            )
        os.close(self._fd)
        self._fd = waiter.fd

    def _wait(self, waiter: _LockWaiter) -> bool:
        """Wait until the waiter has the lock; look again and again whether its holder is stopped. Returns False after `wait_max_s`."""
        watch = StuckHolderWatch(self._path)
        remaining_s = self._wait_max_s
        while remaining_s > 0:
            if waiter.wait(min(CHECK_EVERY_S, remaining_s)):
                return True
            remaining_s -= CHECK_EVERY_S
            watch.check(self._clock.monotonic())
        return waiter.abandon()


class _LockWaiter:
    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._guard = threading.Lock()
        self._locked = threading.Event()
        self._is_abandoned = False
        threading.Thread(target=self._lock, name="write-lock", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Whether it has the lock within this time."""
        return self._locked.wait(timeout_s)

    def abandon(self) -> bool:
        """Whether it has the lock; otherwise it will close its file as soon as it gets it."""
        with self._guard:
            self._is_abandoned = not self._locked.is_set()
            return not self._is_abandoned

    def _lock(self) -> None:
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        with self._guard:
            if self._is_abandoned:
                os.close(self.fd)
            else:
                self._locked.set()


def _open_lock_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
