"""A lifeline: one file lock that a worker or scheduler holds together with every process that it starts.

The kernel releases the lock when the last of these processes has ended. A process that can take the lock therefore knows
that the worker or scheduler is dead and that none of its processes is left on this host. On other hosts the time to live
of its record decides (SUBMIT in docs/contributing/ownership.md).
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

SUFFIX = ".life"
_DESCRIPTOR_MIN = 10
"""Above the descriptors that a new interpreter receives by number."""


def lifeline_path(address: str) -> Path:
    """The lock file of the worker or scheduler with this address."""
    return Path(address).with_suffix(SUFFIX)


def hold_lifeline(address: str) -> int:
    """Take the lock and return its descriptor, which every process that this one forks or starts from now on inherits.

    Raises OSError when another process holds the lock.
    """
    opened = os.open(lifeline_path(address), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return fcntl.fcntl(opened, fcntl.F_DUPFD, _DESCRIPTOR_MIN)  # F_DUPFD: not closed on exec
    finally:
        os.close(opened)


def is_lifeline_free(address: str) -> bool:
    """True when no process holds the lock. False too when the lock file cannot be opened: then nothing is known."""
    try:
        descriptor = os.open(lifeline_path(address), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def remove_lifeline(address: str) -> None:
    """Delete the socket and the lock file of a worker or scheduler that has ended."""
    for path in (Path(address), lifeline_path(address)):
        path.unlink(missing_ok=True)
