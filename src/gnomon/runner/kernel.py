"""What Linux offers for keeping a family of processes together; elsewhere each call does nothing and says so."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform == "linux"


def _load_prctl() -> Callable[..., int] | None:
    if not _LINUX:
        return None
    prctl: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    return prctl


_prctl = _load_prctl()


def become_subreaper() -> bool:
    """Orphaned descendants become children of this process; False where that is not possible."""
    return _prctl is not None and _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def die_with_parent(signal_number: int) -> bool:
    """The kernel sends this signal here when the parent ends; False where that is not possible."""
    return _prctl is not None and _prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0) == 0


def raise_oom_score(score: int) -> None:
    """Under memory pressure the kernel takes this process and its later children before others of the same size."""
    if _LINUX:
        try:
            Path("/proc/self/oom_score_adj").write_text(str(score))
        except OSError:
            return


def own_children() -> list[int]:
    """The pids whose parent is this (single-threaded) process, defunct ones included."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as listing:
            return [int(pid) for pid in listing.read().split()]
    except OSError:
        return []


def oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since the machine started; 0 when it does not say."""
    try:
        with open("/proc/vmstat") as counters:
            for line in counters:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    except OSError:
        return 0
    return 0
