"""Who holds the write lock of a SQLite database: what the holder has written into the lock file."""

from __future__ import annotations

import fcntl
import functools
import os
from pathlib import Path
from typing import NamedTuple

RECORD_BYTES = 80


class LockHolder(NamedTuple):
    """The process that holds the lock, and since when by the machine's monotonic clock, in seconds."""

    pid: int
    since: float
    pid_space: str
    """What the process id is unique in: `find_pid_space`."""


def write_lock_path(database: Path) -> Path:
    """The path of the lock file beside a database."""
    return database.with_name(database.name + ".ticket")


def write_holder(fd: int, monotonic_s: float) -> None:
    """Write this process into the lock file, whose lock it has."""
    record = f"{os.getpid()} {monotonic_s:.6f} {find_pid_space()}\n"
    os.pwrite(fd, record.ljust(RECORD_BYTES).encode(), 0)


def find_lock_holder(path: Path) -> LockHolder | None:
    """The process that holds the lock now; None when it is free."""
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


@functools.cache
def find_pid_space() -> str:
    """The boot of the machine and the namespace of process ids: only there does a process id name the process that wrote it.

    `boot_id` and `ns/pid` of Linux: random(4), namespaces(7). Empty where the system has neither.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read(8)}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


def _read_holder(fd: int) -> LockHolder | None:
    fields = os.pread(fd, RECORD_BYTES, 0).decode("ascii", "replace").split()
    try:
        return LockHolder(int(fields[0]), float(fields[1]), *fields[2:3] or [""])
    except (ValueError, IndexError):
        return None
