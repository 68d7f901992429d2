"""Wakes coroutines when something happens in a folder: inotify on Linux. Where there is none, nobody wakes them.

Whoever waits looks again after a while in any case: network file systems tell nothing, and watches may run out.
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
"""The watch of an event that says: there were more than the kernel keeps."""


@asynccontextmanager
async def watch_folder(folder: str) -> AsyncIterator[asyncio.Event]:
    """The event is set whenever an entry of the folder comes, or has been written; never, where nobody tells."""
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
    """Something has happened since the last call, or so many seconds are over."""
    try:
        async with asyncio.timeout(seconds):
            await changed.wait()
    except TimeoutError:
        pass
    changed.clear()


def find_nearest_folder(pattern: str) -> str:
    """The deepest folder that exists above all that the glob pattern may name; the named folder itself when it is one."""
    path = os.path.abspath(pattern)
    while any(sign in path for sign in "*?["):
        path = os.path.dirname(path)
    while not os.path.isdir(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


class _InotifyWatches:
    """The watched folders of one loop, on one descriptor."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._listeners: dict[int, set[asyncio.Event]] = {}
        loop.add_reader(self._descriptor, self._read)

    def add(self, folder: str) -> int | None:
        """The number of the folder's watch; None when it cannot be watched. It may block: call it in a thread."""
        number: int = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _MASK)
        return None if number < 0 else number

    def listen(self, number: int, changed: asyncio.Event) -> None:
        self._listeners.setdefault(number, set()).add(changed)

    def forget(self, number: int, changed: asyncio.Event) -> None:
        """Without listeners the folder is watched no more."""
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
    """The watches of the running loop; None where the system has no inotify, or gives no more of them."""
    loop = asyncio.get_running_loop()
    if loop not in _watches_by_loop:
        try:
            _watches_by_loop[loop] = _InotifyWatches(loop) if sys.platform == "linux" else None
        except (OSError, AttributeError, NotImplementedError):
            _watches_by_loop[loop] = None
    return _watches_by_loop[loop]


T = TypeVar("T")

FILE_THREADS_MAX = 8
"""At once, of one loop; a network file system that hangs holds up so many."""
_threads_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()


async def run_in_file_thread(look: Callable[..., T], *args: object) -> T:
    """What `look(*args)` returns; the loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    threads = _threads_by_loop.get(loop)
    if threads is None:
        threads = _threads_by_loop[loop] = ThreadPoolExecutor(FILE_THREADS_MAX, "looks-at-files")
    return await loop.run_in_executor(threads, look, *args)
