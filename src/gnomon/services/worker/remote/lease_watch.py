"""LeaseWatch: ends a worker process that stands still while its attempts run on.

The worker process stops its attempts itself when its heartbeats are not taken (`WorkerStore.find_run_limit`). One that is frozen, or blocked in a call,
cannot: then the consumer process beside it ends it, before schedulers give its attempts to another worker.
"""

from __future__ import annotations

import math
import mmap
import struct

LOOKS = 4
"""How many looks in a row must find the lease over: after a machine stood still, the worker process has time to renew it."""
GAP_MAX_S = 1.0
"""A longer time between two looks is a standstill of this process, and says nothing about the other."""
_SECONDS = struct.Struct("d")


class SharedLease:
    """Until when attempts may run, in memory that a process shares with the forks it makes. Monotonic seconds, which all processes of a machine share."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SECONDS.size)
        self.put(math.inf)

    def put(self, until_s: float) -> None:
        _SECONDS.pack_into(self._memory, 0, until_s)

    def get(self) -> float:
        seconds: float = _SECONDS.unpack_from(self._memory, 0)[0]
        return seconds


class LeaseWatch:
    """One look after the other at a lease."""

    def __init__(self, lease: SharedLease) -> None:
        self._lease = lease
        self._looked_at = -math.inf
        self._found_over = 0

    def is_over(self, now: float) -> bool:
        """Whether the lease was over at each of the last LOOKS looks, without a gap between them."""
        has_gap = now - self._looked_at > GAP_MAX_S
        self._looked_at = now
        self._found_over = 0 if has_gap or self._lease.get() >= now else self._found_over + 1
        return self._found_over >= LOOKS
