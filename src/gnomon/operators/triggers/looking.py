"""Looks at file systems, which may block: in threads of their own, so that no other trigger's threads keep them waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

LOOKS_MAX = 8
"""At once, of one loop; a network file system that hangs holds up so many."""
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()


async def looked(look: Callable[..., T], *args: object) -> T:
    """What `look(*args)` returns; the loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    threads = _by_loop.get(loop)
    if threads is None:
        threads = _by_loop[loop] = ThreadPoolExecutor(LOOKS_MAX, "looks-at-files")
    return await loop.run_in_executor(threads, look, *args)
