"""`RequestSlots`: how many requests of one slow kind are answered at the same time, so that they cannot take all threads."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from fastapi import Depends

from gnomon.api.common.refusals import Refusal
from gnomon.model.sentences import say

_PATIENCE_S = 5.0
_STEP_S = 0.02


class RequestSlots:
    """`kind`: the requests, in the plural, for the sentence of a refusal. `waiting`: how many requests of the kind may wait for a slot.

    `of_client`: how many slots one client may have at the same time; at most half of the requests that wait are of one client.
    """

    def __init__(self, kind: str, count: int, waiting: int = 32, of_client: int | None = None) -> None:
        self._kind = kind
        self._count = count
        self._free = threading.BoundedSemaphore(count)
        self._may_wait = threading.BoundedSemaphore(waiting)
        self._of_client = count if of_client is None else of_client
        self._waiting_of_client = max(1, waiting // 2)
        self._held: Counter[str] = Counter()
        self._waits: Counter[str] = Counter()
        """By client; both are used by one event loop only."""

    @contextmanager
    def take(self) -> Iterator[None]:
        """One slot until the end of the block. Raises Refusal (503) when all are taken: a request that waits would hold a thread."""
        if not self._free.acquire(blocking=False):
            raise self._refusal()
        try:
            yield
        finally:
            self._free.release()

    @asynccontextmanager
    async def hold(self, client: str) -> AsyncIterator[None]:
        """One slot for a client until the end of the block; the request waits for it for up to 5 seconds without a thread. Raises Refusal (503) after that."""
        if not self._acquire(client):
            await self._wait_for_client(client)
        try:
            yield
        finally:
            _count_down(self._held, client)
            self._free.release()

    def require(self) -> Any:
        """A dependency of a route: one slot until its function has returned. While all are taken the request waits for up to 5 seconds without a thread.

        A page asks for several previews at the same time, and a request that the browser has given up holds its slot until its answer is made.
        Any: as FastAPI declares it.
        """
        return Depends(self._hold, scope="function")

    async def _hold(self) -> AsyncIterator[None]:
        if not self._free.acquire(blocking=False):
            await self._wait()
        try:
            yield
        finally:
            self._free.release()

    def _acquire(self, client: str) -> bool:
        if self._held[client] >= self._of_client or not self._free.acquire(blocking=False):
            return False
        self._held[client] += 1
        return True

    async def _wait_for_client(self, client: str) -> None:
        if self._waits[client] >= self._waiting_of_client or not self._may_wait.acquire(blocking=False):
            raise self._refusal()
        self._waits[client] += 1
        try:
            for _ in range(round(_PATIENCE_S / _STEP_S)):
                await asyncio.sleep(_STEP_S)
                if self._acquire(client):
                    return
        finally:
            _count_down(self._waits, client)
            self._may_wait.release()
        raise self._refusal()

    async def _wait(self) -> None:
        """Take a slot as soon as one is free. Raises Refusal (503) after 5 seconds, and at once when too many requests wait already."""
        if not self._may_wait.acquire(blocking=False):
            raise self._refusal()
        try:
            for _ in range(round(_PATIENCE_S / _STEP_S)):
                await asyncio.sleep(_STEP_S)
                if self._free.acquire(blocking=False):
                    return
        finally:
            self._may_wait.release()
        raise self._refusal()

    def _refusal(self) -> Refusal:
        return Refusal(
            503, say("all_slots_of_requests_are_taken", most=self._count, things=self._kind), {"Retry-After": "1"}
        )


def _count_down(counts: Counter[str], client: str) -> None:
    counts[client] -= 1
    if not counts[client]:
        del counts[client]
