"""What Linux offers a family of processes; on other systems each function does nothing and says so."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")


def become_subreaper() -> bool:
    """Orphaned descendants become children of this process, so that it can end them; False where that is not to be had."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal_number: int) -> bool:
    """This process gets the signal when its parent dies; False where that is not to be had."""
    return _prctl(_PR_SET_PDEATHSIG, signal_number)


def name_process(name: str) -> None:
    """`ps` and `top` show the name, 15 bytes of it."""
    try:
        (_PROC / "self" / "comm").write_bytes(name.encode()[:15])
    except OSError:
        pass


def children_of(pid: int) -> list[int]:
    """The direct children of a process, zombies included; empty where /proc does not tell."""
    return [child for child in _all_pids() if _parent_of(child) == pid]


def _all_pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []


def _parent_of(pid: int) -> int | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = stat.rpartition(b")")[2].split()  # the name before it may hold spaces and parentheses
    return int(fields[1])


def _prctl(option: int, argument: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    result: int = ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)
    return result == 0
