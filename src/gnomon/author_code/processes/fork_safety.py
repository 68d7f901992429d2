"""Whether this process, which has imported a DAG file, can be forked to run the tasks of the file.

A fork copies one thread only: locks that another thread holds stay locked in the copy, and both processes share an open
socket. The tasks of a file that starts threads or opens sockets run in a new interpreter each; the reason is shown.
"""

from __future__ import annotations

import os
import sys
import threading

BREAKS_AFTER_FORK = {
    "grpc": "its background threads do not survive a fork",
    "jax": "its thread pools do not survive a fork",
    "jpype": "a Java virtual machine does not survive a fork",
    "polars": "its thread pool does not survive a fork",
    "ray": "its connections do not survive a fork",
    "tensorflow": "its thread pools do not survive a fork",
}
"""Top-level modules that work in a new interpreter and deadlock or crash in a fork of one that imported them."""
_HARMLESS_THREADS = ("jemalloc_bg_thd",)
"""Native threads that handle a fork themselves."""
_TASKS = "/proc/self/task"
_DESCRIPTORS = "/proc/self/fd"
_EVENT_LOOP = "anon_inode:[eventpoll]"

OpenSockets = frozenset[tuple[str, str]]
"""(descriptor, target of its link in /proc) of sockets and event loops."""


def list_open_sockets() -> OpenSockets:
    """The sockets and event loops that are open in this process."""
    try:
        numbers = os.listdir(_DESCRIPTORS)
    except OSError:
        return frozenset()
    targets = ((number, _target(number)) for number in numbers)
    return frozenset(
        (number, target) for number, target in targets if target.startswith("socket:") or target == _EVENT_LOOP
    )


def find_fork_obstacle(before: OpenSockets = frozenset()) -> str | None:
    """Why this process must not be forked to run tasks, as a clause for the author of the file; None when it can be forked.

    `before`: the result of `list_open_sockets()` before the import.
    """
    return _threads() or _modules() or _native_threads() or _connections(before)


def _threads() -> str | None:
    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    return f"importing the file starts threads ({', '.join(sorted(others)[:5])})" if others else None


def _modules() -> str | None:
    for name, why in BREAKS_AFTER_FORK.items():
        if name in sys.modules:
            return f"the file imports {name}: {why}"
    torch_cuda = sys.modules.get("torch.cuda")
    if torch_cuda is not None and torch_cuda.is_initialized():
        return "importing the file initialises CUDA, which does not survive a fork"
    return None


def _native_threads() -> str | None:
    """Threads of libraries have their own names, except those of numpy's OpenBLAS, which ends its threads before a fork."""
    try:
        names = [_thread_name(number) for number in sorted(os.listdir(_TASKS), key=int)]
    except OSError:
        return None
    for name in names[1:]:
        if name and name != names[0] and not name.startswith(_HARMLESS_THREADS):
            return f"importing the file starts a native thread ({name})"
    if len(names) > 1 and "numpy" not in sys.modules:
        return f"importing the file starts {len(names) - 1} native thread(s)"
    return None


def _thread_name(number: str) -> str:
    try:
        with open(f"{_TASKS}/{number}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""  # the thread has just ended


def _connections(before: OpenSockets) -> str | None:
    new = {target for _, target in list_open_sockets() - before}
    if _EVENT_LOOP in new:
        return "importing the file starts an event loop"
    return "importing the file opens a network connection or socket, which a fork would share" if new else None


def _target(number: str) -> str:
    try:
        return os.readlink(f"{_DESCRIPTORS}/{number}")
    except OSError:
        return ""  # the descriptor of the listing itself
