"""Wakes coroutines when a folder changes, by inotify. All triggers of an event loop share one inotify descriptor.

A coroutine must also check by itself from time to time: systems other than Linux have no inotify, network file systems report
no changes, and the number of watches is limited. docs/decisions/0001-dependencies.md says why watchfiles is not used here.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakKeyDictionary

_EVENT = struct.Struct("iIII")
_READ_BYTES = 64 * 1024
_CLOSE_WRITE, _MOVED_TO, _CREATE, _DELETE_SELF, _MOVE_SELF = 0x008, 0x080, 0x100, 0x400, 0x800
_MASK = _CLOSE_WRITE | _MOVED_TO | _CREATE | _DELETE_SELF | _MOVE_SELF
_OVERFLOW = -1
"""The watch number of the event that reports an overflow of the kernel's queue."""


@asynccontextmanager
async def watch_folder(folder: str) -> AsyncIterator[asyncio.Event]:
    """Yield an event that is set when an entry of the folder appears or was written; never set without inotify."""
    changed = asyncio.Event()
    watches = _get_watches()
    number = None if watches is None else await run_in_file_thread(watches.add, folder)
    if watches is None or number is None:
        yield changed
        return
    watches.listen(number, changed)
    try:
        yield changed
    finally:
        watches.forget(number, changed)


async def wait_for_change(changed: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, at most `seconds`, and clear the event."""
    try:
        async with asyncio.timeout(seconds):
            await changed.wait()
    except TimeoutError:
        pass
    changed.clear()


def find_nearest_folder(pattern: str) -> str:
    """Return the deepest existing folder that contains all possible matches of the glob pattern, or the folder that it names."""
    path = os.path.abspath(pattern)
    while any(character in path for character in "*?["):
        path = os.path.dirname(path)
    while not os.path.isdir(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


class _InotifyWatches:
    """The watched folders of one event loop, on one inotify descriptor."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._listeners: dict[int, set[asyncio.Event]] = {}
        loop.add_reader(self._descriptor, self._read)

    def add(self, folder: str) -> int | None:
        """Watch a folder and return the number of the watch, or None on failure. The call may block: make it in a thread."""
        number: int = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _MASK)
        return None if number < 0 else number

    def listen(self, number: int, changed: asyncio.Event) -> None:
        self._listeners.setdefault(number, set()).add(changed)

    def forget(self, number: int, changed: asyncio.Event) -> None:
        """Remove a listener; without listeners the watch of the folder ends."""
        listeners = self._listeners.get(number, set())
        listeners.discard(changed)
        if not listeners and self._listeners.pop(number, None) is not None:
            self._libc.inotify_rm_watch(self._descriptor, number)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return
        numbers, offset = set(), 0
        while offset < len(data):
            number, _mask, _cookie, length = _EVENT.unpack_from(data, offset)
            numbers.add(number)
            offset += _EVENT.size + length
        for number in self._listeners if _OVERFLOW in numbers else numbers:
            for changed in self._listeners.get(number, ()):
                changed.set()

    def __del__(self) -> None:
        descriptor = getattr(self, "_descriptor", -1)
        if descriptor >= 0:
            os.close(descriptor)


_watches_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _InotifyWatches | None] = WeakKeyDictionary()


def _get_watches() -> _InotifyWatches | None:
    """Return the watches of the running event loop; None when the system has no inotify or allows no more of it."""
    loop = asyncio.get_running_loop()
    if loop not in _watches_by_loop:
        try:
            _watches_by_loop[loop] = _InotifyWatches(loop) if sys.platform == "linux" else None
        except (OSError, AttributeError, NotImplementedError):
            _watches_by_loop[loop] = None
    return _watches_by_loop[loop]


T = TypeVar("T")

FILE_THREADS_MAX = 8
"""The number of threads per event loop; a network file system that hangs can block all of them."""
_threads_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()


async def run_in_file_thread(function: Callable[..., T], *args: object) -> T:
    """Return `function(*args)`, called in a thread, without blocking the event loop."""
    loop = asyncio.get_running_loop()
    threads = _threads_by_loop.get(loop)
    if threads is None:
        threads = _threads_by_loop[loop] = ThreadPoolExecutor(FILE_THREADS_MAX, "file-checks")
    return await loop.run_in_executor(threads, function, *args)
