"""How much memory a process holds, and limits on it."""

from __future__ import annotations

import resource

_M_ARENA_MAX = -8
"""The number of an option of glibc's `mallopt`, from its header malloc.h."""


def resident_bytes(pid: int) -> int:
    """The bytes of memory that the process holds now, without the pages of files; 0 when /proc does not say."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as opened:
            lines = [line.split() for line in opened if line.startswith(("RssAnon:", "RssShmem:"))]
    except OSError:
        return 0
    return sum(int(fields[1]) for fields in lines) * 1024


def mapped_bytes() -> int:
    """The bytes of writable memory that this process has mapped; 0 when /proc does not say."""
    try:
        with open("/proc/self/statm", "rb") as opened:
            return int(opened.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


def limit_memory(more: int) -> tuple[int, int]:
    """Let this process map `more` bytes beyond what it has mapped; Python raises MemoryError for a larger request.

    Returns the limit that was in force before, for `restore_memory_limit`.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = mapped_bytes() + more
    soft = limit if before[1] == resource.RLIM_INFINITY else min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    return before


def share_one_heap() -> None:
    """Have all threads of this process allocate from one heap, where the C library is glibc, which otherwise gives each thread a heap of its own.

    What one thread has freed then serves another. Python lets one thread run at a time, so the threads hardly wait for each other.
    """
    import ctypes  # start-up cost: most processes never call this

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)


def restore_memory_limit(before: tuple[int, int]) -> None:
    """Put back the limit that `limit_memory` returned."""
    resource.setrlimit(resource.RLIMIT_DATA, before)
