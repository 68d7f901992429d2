"""A lifeline: one lock that a worker, or a scheduler, and every process it starts hold together.

The kernel lets go of the lock when the last of them is gone. Whoever can take it knows, and does not guess, that the
holder is dead and that nothing of what it ran is left on this host (OWNERSHIP.md line 18 is for everybody else).
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

SUFFIX = ".life"
_DESCRIPTOR_MIN = 10
"""Above the descriptors that a new interpreter is given by number."""


def lifeline_path(address: str) -> Path:
    """The lock of whoever has this address."""
    return Path(address).with_suffix(SUFFIX)


def hold_lifeline(address: str) -> int:
    """The descriptor of a lifeline that this process holds, and with it every process that it forks or starts from now on."""
    opened = os.open(lifeline_path(address), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return fcntl.fcntl(opened, fcntl.F_DUPFD, _DESCRIPTOR_MIN)  # not closed on exec
    finally:
        os.close(opened)


def is_lifeline_free(address: str) -> bool:
    """Nobody holds the lifeline any more. False also where there is none to be seen: then nothing is known."""
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
    """The files of one that is gone, its socket and its lifeline, are gone too."""
    for path in (Path(address), lifeline_path(address)):
        path.unlink(missing_ok=True)
