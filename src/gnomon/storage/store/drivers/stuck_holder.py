"""Kills a process that is stopped inside a SQLite write transaction: each writer that waits for it looks (TAKE_OVER in docs/contributing/ownership.md).

A process that gets no processor, or waits for its disk, is not stopped, however long its transaction takes on a machine that has too much to do.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from gnomon.storage.store.drivers.lock_holder import LockHolder, find_lock_holder, find_pid_space
from gnomon.storage.store.transaction import LEASE_TTL_S

CHECK_EVERY_S = 0.4
"""Interval between checks: together with the time to live of the write lock, writers wait less than 5 s."""
SLOW_MAX_S = 30.0
"""A process that is not stopped is killed after this time too: other writers wait no longer."""
ADVANCE = 0.1
"""A process is not stopped when it ran, or waited for a processor, for this part of the time between two checks."""
_PROC = Path("/proc")


class StuckHolderWatch:
    """Looks at the lock file again and again, for a writer that waits."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[LockHolder, float, float] | None = None
        """The holder at the last check, the time of that check, and what it had advanced."""

    def check(self, now: float) -> int | None:
        """Kill the process that has held the lock for too long; returns its process id, None when there is none. `now`: by the monotonic clock."""
        last_sighting, self._seen = self._seen, None
        holder = find_lock_holder(self._path)
        if holder is None or holder.pid == os.getpid() or holder.pid_space != find_pid_space():
            return None
        advanced_s, is_on_disk = _read_advance(holder.pid)
        self._seen = (holder, now, advanced_s)
        held_s = now - holder.since
        if held_s <= LEASE_TTL_S or last_sighting is None or last_sighting[0] != holder:
            return None
        is_slow = is_on_disk or advanced_s - last_sighting[2] >= ADVANCE * (now - last_sighting[1])
        if is_slow and held_s <= SLOW_MAX_S:
            return None
        if find_lock_holder(self._path) != holder or not _has_file_lock(holder.pid):
            return None
        return _kill(holder.pid)


def _has_file_lock(pid: int) -> bool:
    """Whether the process has an flock: a holder that was stopped before it wrote its record has that of the one before, which is innocent.

    `/proc/locks`: proc_locks(5). True where the system does not tell. The file itself is not compared: overlay filesystems give it another number there.
    """
    try:
        lines = (_PROC / "locks").read_text().splitlines()
    except OSError:
        return True
    return any(fields[1:2] == ["FLOCK"] and fields[4:5] == [str(pid)] for fields in map(str.split, lines))


def _kill(pid: int) -> int | None:
    from gnomon.ground import log  # every command waits for the imports of this module, and hardly one comes here

    logger = log.get_logger("store.write_lock")
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    except PermissionError:
        logger.error("writer_stuck", pid=pid, remedy="the process belongs to another user; end it by hand")
        return None
    logger.warning(
        "writer_killed",
        pid=pid,
        reason="the process was stopped inside a write transaction, and all other writers waited for it",
    )
    return pid


def _read_advance(pid: int) -> tuple[float, bool]:
    """The seconds for which threads of the process ran or waited for a processor, and whether one waits for a disk. (0, False) where the system does not count it.

    `schedstat` and `stat` of Linux: Documentation/scheduler/sched-stats.rst of the kernel, proc_pid_stat(5).
    """
    total_ns, is_on_disk = 0, False
    with contextlib.suppress(OSError, ValueError, IndexError):
        for task in (_PROC / str(pid) / "task").iterdir():
            ran, waited = (task / "schedstat").read_text().split()[:2]
            total_ns += int(ran) + int(waited)
            is_on_disk = is_on_disk or (task / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"D"
    return total_ns / 1e9, is_on_disk
