"""`HostSlots`: bounds the host processes of a service that answers many requests at the same time, and keeps some for the next request.

A command starts one host and ends with it. In an api-server each request about an author's timetable would start a Python process of its own, as many
as there are requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.model.errors.product import ResourceUnavailable
from gnomon.model.sentences import say

KEPT_S = 20.0
"""A host that no request takes for so long is ended."""


class HostsBusy(ResourceUnavailable):
    """All host processes that this service may have are at work."""


class HostSlots:
    """At most `count` hosts at the same time, of which `kept_max` wait for the next request after the last one."""

    def __init__(self, count: int, kept_max: int, kept_s: float = KEPT_S) -> None:
        self._count = count
        self._kept_max = kept_max
        self._kept_s = kept_s
        self._free = threading.BoundedSemaphore(count)
        self._guard = threading.Lock()
        self._kept: list[SubprocessTimetableHost] = []
        self._timer: threading.Timer | None = None

    @contextmanager
    def take(
        self, create: Callable[[], SubprocessTimetableHost], *, is_kept: bool
    ) -> Iterator[SubprocessTimetableHost]:
        """A host until the end of the block: a kept one, or a new one. After an exception, and without `is_kept`, it is ended.

        Raises HostsBusy when all are taken: a request that waits would hold a thread of its service.
        """
        if not self._free.acquire(blocking=False):
            raise HostsBusy(say("hosts_are_busy", number=self._count))
        try:
            with self._hold(create, is_kept=is_kept) as host:
                yield host
        finally:
            self._free.release()

    @contextmanager
    def _hold(
        self, create: Callable[[], SubprocessTimetableHost], *, is_kept: bool
    ) -> Iterator[SubprocessTimetableHost]:
        host = self._pop() if is_kept else None
        host = create() if host is None else host
        try:
            yield host
        except BaseException:
            host.close()
            raise
        if not is_kept or not self._keep(host):
            host.close()

    def close(self) -> None:
        """End the kept hosts."""
        with self._guard:
            hosts, self._kept = self._kept, []
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        for host in hosts:
            host.close()

    def _pop(self) -> SubprocessTimetableHost | None:
        with self._guard:
            return self._kept.pop() if self._kept else None

    def _keep(self, host: SubprocessTimetableHost) -> bool:
        """Keep the host for the next request; False when enough are kept."""
        with self._guard:
            if len(self._kept) >= self._kept_max:
                return False
            self._kept.append(host)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._kept_s, self.close)
            self._timer.daemon = True
            self._timer.start()
            return True
