"""The end of child processes: killed with what they started, waited for, reaped."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Container, Sequence

from gnomon.processes.kernel import own_children


def kill_with_group(pid: int) -> None:
    """SIGKILL to the process and to the group that it leads. Only while `pid` lives or is not yet reaped."""
    kill_group(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """What is left of the process group that `pid` leads is killed. Only while `pid` lives or is not yet reaped."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def wait_for_exit(pid: int, at_most_s: float) -> None:
    """The child has ended, or had so long to. It is not reaped."""
    with contextlib.suppress(OSError, AttributeError):  # no pidfd: not Linux, or reaped already
        ended = os.pidfd_open(pid)
        try:
            select.select([ended], [], [], at_most_s)
        finally:
            os.close(ended)


def reap_children(leaders: Container[int] = ()) -> list[tuple[int, int]]:
    """(pid, exit code) of every child that has ended; negative codes are signals. The groups of `leaders` among them are killed.

    They are killed while the defunct child still keeps its number from being used again.
    """
    ended: list[tuple[int, int]] = []
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return ended
            if found.si_pid in leaders:
                kill_group(found.si_pid)
            pid, status = os.waitpid(found.si_pid, 0)
        except ChildProcessError:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))


GENERATIONS_MAX = 100
"""Each sweep kills one generation; a family deeper than this is left to the worker's sweep."""


def kill_descendants() -> int:
    """This process has no children any more: what was left is killed and reaped. Returns how many were killed.

    As a subreaper, this process is the parent of everything that its descendants left behind, daemons included.
    """
    killed = 0
    for _ in range(GENERATIONS_MAX):
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


def kill_unknown_children(known: set[int]) -> int:
    """Every direct child that is not `known` got SIGKILL. Returns how many; their own children come up next time."""
    orphans = [pid for pid in own_children() if pid not in known]
    for pid in orphans:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(orphans)


def kill_and_reap_orphans(keep: frozenset[int]) -> int:
    """No child of this process is left but those to keep, nor children of what was killed; returns how many were ended.

    Only a subreaper sees the orphans of its descendants.
    """
    killed = 0
    for _ in range(_ORPHAN_GENERATIONS_MAX):
        orphans = [pid for pid in own_children() if pid not in keep]
        if not orphans:
            break
        signal_processes(orphans, signal.SIGKILL)
        for pid in orphans:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
        killed += len(orphans)
    return killed


def signal_processes(pids: Sequence[int], number: int) -> None:
    """Every one of these processes that still exists was sent the signal."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


_ORPHAN_GENERATIONS_MAX = 200
"""Killing orphans makes orphans; a family deeper than this does not exist."""
