"""What the parse server asks of Linux; elsewhere these calls do nothing and say so."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36
_PAGE = resource.getpagesize()
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends."""
    if _prctl is not None:
        _prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Descendants whose parents end become this process's children, so that it can end them too."""
    if _prctl is not None:
        _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def resident_bytes(pid: int) -> int:
    """The memory that a process holds now, without the pages of files; 0 when nobody can tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as opened:
            lines = [line.split() for line in opened if line.startswith(("RssAnon:", "RssShmem:"))]
    except OSError:
        return 0
    return sum(int(fields[1]) for fields in lines) * 1024


def data_bytes() -> int:
    """The writable memory that this process has mapped; 0 when nobody can tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as opened:
            return int(opened.read().split()[5]) * _PAGE
    except OSError:
        return 0


def children() -> list[int]:
    """The processes whose parent is this one."""
    pid = os.getpid()
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as opened:
            return [int(number) for number in opened.read().split()]
    except OSError:
        return []


def limit_data(more: int) -> tuple[int, int]:
    """This process may map that many bytes more than it has; returns the limit that held before."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_at_most(data_bytes() + more, before[1]), before[1]))
    return before


def restore_data_limit(before: tuple[int, int]) -> None:
    """The limit that held before holds again."""
    resource.setrlimit(resource.RLIMIT_DATA, before)


def offer_to_oom_killer() -> None:
    """When memory runs out, this process goes before the services do."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as opened:
            opened.write("600")
    except OSError:
        pass


def _at_most(wanted: int, hard: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
