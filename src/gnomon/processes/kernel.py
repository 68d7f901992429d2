"""What Linux offers for keeping a family of processes together; elsewhere each call does nothing and says so."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

TASK_OOM_SCORE = 300
"""Of zygotes and all that they fork, and of attempts in new interpreters: under memory pressure tasks go before services."""
HOST_OOM_SCORE = 600
"""Of parses and host processes: they go before tasks, since whoever asked them asks again."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform == "linux"
_PROC = Path("/proc")
_CHILDREN = "/proc/self/task/{pid}/children"


def become_subreaper() -> bool:
    """Orphaned descendants become children of this process, so that it can end them; False where that is not possible."""
    return _call_prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal_number: int) -> bool:
    """The kernel sends this signal here when the parent ends; False where that is not possible."""
    return _call_prctl(_PR_SET_PDEATHSIG, signal_number)


def load_prctl() -> None:
    """The two above have nothing left to load: who forks many processes loads it once, for all of them."""
    _prctl()


def raise_oom_score(score: int) -> None:
    """Under memory pressure the kernel takes this process and its later children before others of the same size."""
    if _LINUX:
        try:
            (_PROC / "self" / "oom_score_adj").write_text(str(score))
        except OSError:
            return


def name_process(name: str) -> None:
    """`ps` and `top` show the name, 15 bytes of it."""
    try:
        (_PROC / "self" / "comm").write_bytes(name.encode()[:15])
    except OSError:
        return


def own_children() -> list[int]:
    """The pids whose parent is this (single-threaded) process, defunct ones included; empty where /proc does not tell."""
    try:
        with open(_CHILDREN.format(pid=os.getpid())) as listing:
            return [int(pid) for pid in listing.read().split()]
    except OSError:  # a kernel that was built without that file
        return scan_own_children()


def scan_own_children() -> list[int]:
    """The same, found by asking every process for its parent."""
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in pids if _parent_of(pid) == os.getpid()]


def count_oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since the machine started; 0 when it does not say."""
    try:
        with open("/proc/vmstat") as counters:
            for line in counters:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    except OSError:
        return 0
    return 0


def _parent_of(pid: int) -> int | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = stat.rpartition(b")")[2].split()  # the name before it may hold spaces and parentheses
    return int(fields[1])


def _call_prctl(option: int, argument: int) -> bool:
    prctl = _prctl()
    return prctl is not None and prctl(option, argument, 0, 0, 0) == 0


@functools.cache
def _prctl() -> Callable[..., int] | None:
    if not _LINUX:
        return None
    import ctypes  # most of these functions do without

    prctl: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    return prctl
