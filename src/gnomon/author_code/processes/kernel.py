"""Linux calls that keep a process and its descendants together. On other systems each call does nothing."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

TASK_OOM_SCORE = 300
"""OOM score of zygotes, their children, and attempts in new interpreters: the kernel kills tasks before services."""
HOST_OOM_SCORE = 600
"""OOM score of parse children and host processes: the kernel kills them before tasks, since their work is retried."""
_PR_SET_PDEATHSIG = 1
_PR_GET_DUMPABLE = 3
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform == "linux"
_PROC = Path("/proc")
_CHILDREN = "/proc/self/task/{pid}/children"


def become_subreaper() -> bool:
    """Make orphaned descendants children of this process, so that it can kill them; False where that is not possible."""
    return _call_prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal_number: int) -> bool:
    """Have the kernel send this signal to this process when its parent ends; False where that is not possible."""
    return _call_prctl(_PR_SET_PDEATHSIG, signal_number)


def protect_memory() -> None:
    """Let no other process of the same user read the environment, the memory and the descriptors of this one, or trace it; forks inherit it, new programs do not.

    Tasks may run as the user of the services, which have the address of the database and the key in their environment. Root is not kept out.
    """
    _call_prctl(_PR_SET_DUMPABLE, 0)


def is_memory_protected() -> bool:
    """Whether `protect_memory` was called in this process or one that it is a fork of."""
    prctl = _prctl()
    return prctl is not None and prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0


def load_prctl() -> None:
    """Load the library of `become_subreaper` and `die_with_parent` now, so that forks of this process need not."""
    _prctl()


def raise_oom_score(score: int) -> None:
    """Have the kernel kill this process and its later children before others of the same size when memory is short."""
    if _LINUX:
        _write_own("oom_score_adj", str(score).encode())


def name_process(name: str) -> None:
    """Set the short name of this process, of which the kernel keeps 15 bytes."""
    _write_own("comm", name.encode()[:15])


def own_children() -> list[int]:
    """The pids of the children of this (single-threaded) process, with defunct ones; empty where there is no /proc."""
    try:
        with open(_CHILDREN.format(pid=os.getpid())) as listing:
            return [int(pid) for pid in listing.read().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return scan_own_children()


def scan_own_children() -> list[int]:
    """As `own_children`, from the parent of every process of the machine."""
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in pids if _parent_of(pid) == os.getpid()]


def waits_for_machine(pid: int) -> bool:
    """Whether the process goes on as soon as it gets a processor, or a disk has answered. False for one that sleeps or was stopped, and where /proc does not say."""
    state = _read_stat(pid)
    return state is not None and state[0] in (b"R", b"D")


def count_oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since the machine started; 0 when /proc does not say."""
    try:
        with open("/proc/vmstat") as counters:
            for line in counters:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    except OSError:
        return 0
    return 0


def _parent_of(pid: int) -> int | None:
    fields = _read_stat(pid)
    return None if fields is None else int(fields[1])


def _read_stat(pid: int) -> list[bytes] | None:
    """The fields of a process from its state on; None when there is no such process."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    return stat.rpartition(b")")[2].split()  # the name before it may hold spaces and parentheses


def _write_own(name: str, text: bytes) -> None:
    """Write a file of this process in /proc. While its memory is protected these files are root's: the protection is lifted for that moment."""
    path = _PROC / "self" / name
    try:
        path.write_bytes(text)
        return
    except PermissionError:
        if not is_memory_protected():
            return
    except OSError:
        return
    _call_prctl(_PR_SET_DUMPABLE, 1)
    try:
        path.write_bytes(text)
    except OSError:
        return
    finally:
        protect_memory()


def _call_prctl(option: int, argument: int) -> bool:
    prctl = _prctl()
    return prctl is not None and prctl(option, argument, 0, 0, 0) == 0


@functools.cache
def _prctl() -> Callable[..., int] | None:
    if not _LINUX:
        return None
    import ctypes  # start-up cost: most processes never call prctl

    prctl: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    return prctl
