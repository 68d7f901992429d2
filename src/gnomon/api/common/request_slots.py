"""`RequestSlots`: how many requests of one slow kind are answered at the same time, so that they cannot take all threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import HTTPException


class RequestSlots:
    """`kind`: the requests, in the plural, for the sentence of a refusal."""

    def __init__(self, kind: str, count: int) -> None:
        self._kind = kind
        self._count = count
        self._free = threading.BoundedSemaphore(count)

    @contextmanager
    def take(self) -> Iterator[None]:
        """One slot until the end of the block. Raises HTTPException (503) when all are taken: a request that waits would hold a thread."""
        if not self._free.acquire(blocking=False):
            raise HTTPException(503, f"this api-server answers {self._count} {self._kind} at the same time: try again in a second", {"Retry-After": "1"})
        try:
            yield
        finally:
            self._free.release()
