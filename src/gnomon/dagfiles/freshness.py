"""Looks at a process after it imported a DAG file: may a fork of it run tasks?

A fork copies one thread only. Locks that another thread held stay locked in the copy, and a socket would be shared by
both. Such a file's tasks run in a new interpreter each, and the reason is shown.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable

KNOWN_TO_BREAK = {
    "grpc": "gRPC stops working in a forked process",
    "ray": "Ray's connection to its cluster does not survive a fork",
    "tensorflow": "TensorFlow's thread pools do not survive a fork",
    "jpype": "a Java virtual machine does not survive a fork",
}
_HARMLESS_THREADS = ("jemalloc_bg_thd",)
"""Native threads that put themselves in order around a fork."""
_TASKS = "/proc/self/task"
_DESCRIPTORS = "/proc/self/fd"


def reason_against_fork(sockets_before: Iterable[str] = ()) -> str | None:
    """Why this process must not be forked to run tasks, in words; None when nothing speaks against it.

    `sockets_before`: what `open_sockets()` said before the import.
    """
    return _threads() or _modules() or _native_threads() or _sockets(frozenset(sockets_before))


def open_sockets() -> frozenset[str]:
    """The sockets that this process has open."""
    try:
        numbers = os.listdir(_DESCRIPTORS)
    except OSError:
        return frozenset()
    return frozenset(target for number in numbers if (target := _target(number)).startswith("socket:"))


def _threads() -> str | None:
    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    return f"the import started a thread ({others[0]})" if others else None


def _modules() -> str | None:
    for name, reason in KNOWN_TO_BREAK.items():
        if name in sys.modules:
            return f"it imports {name}: {reason}"
    return None


def _native_threads() -> str | None:
    """Threads of libraries have names of their own; those of OpenBLAS, which ends them around a fork, have the process's."""
    try:
        numbers = sorted(os.listdir(_TASKS), key=int)
        names = [_thread_name(number) for number in numbers]
    except OSError:
        return None
    for name in names[1:]:
        if name and name != names[0] and not name.startswith(_HARMLESS_THREADS):
            return f"the import started a native thread ({name})"
    if len(names) > 1 and "numpy" not in sys.modules:
        return f"the import started {len(names) - 1} native thread(s)"
    return None


def _thread_name(number: str) -> str:
    try:
        with open(f"{_TASKS}/{number}/comm", encoding="utf-8", errors="replace") as opened:
            return opened.read().strip()
    except FileNotFoundError:
        return ""  # it has just ended


def _sockets(before: frozenset[str]) -> str | None:
    return "the import opened a connection that a fork would share" if open_sockets() - before else None


def _target(number: str) -> str:
    try:
        return os.readlink(f"{_DESCRIPTORS}/{number}")
    except OSError:
        return ""  # the descriptor of the listing itself
