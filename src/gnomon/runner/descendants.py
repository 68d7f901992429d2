"""What an attempt started and did not end: killed, so that nothing of it outlives it."""

from __future__ import annotations

import os
import signal

from gnomon.processes.kernel import own_children

SWEEPS_MAX = 100
"""Each sweep kills one generation; a family deeper than this is left to the worker's sweep."""


def end_descendants() -> int:
    """This process has no children any more: what was left is killed and reaped. Returns how many were killed.

    As a subreaper, this process is the parent of everything that its descendants left behind, daemons included.
    """
    killed = 0
    for _ in range(SWEEPS_MAX):
        if not _reap_ended():
            return killed
        alive = own_children()
        if not alive:
            return killed
        for pid in alive:
            killed += _kill_and_reap(pid)
    return killed


def _reap_ended() -> bool:
    """Every defunct child is reaped; True when children are left."""
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
    except ChildProcessError:
        return False


def _kill_and_reap(pid: int) -> int:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        return 0
    return 1
