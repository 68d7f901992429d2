"""May a process that imported a DAG file be forked? It looks at itself: threads, sockets, modules known to break."""

from __future__ import annotations

import os
import sys
import threading

BREAKS_AFTER_FORK = {
    "grpc": "its background threads do not survive a fork",
    "polars": "its thread pool does not survive a fork",
    "tensorflow": "its thread pools do not survive a fork",
    "jax": "its thread pools do not survive a fork",
    "ray": "its connections do not survive a fork",
}
"""Top-level modules that work in a new interpreter and deadlock or crash in a fork of one that imported them."""


def reason_not_to_fork(own_descriptors: frozenset[int]) -> str | None:
    """Why this process must not fork, in words for the DAG's author; None when nothing speaks against it.

    `own_descriptors`: sockets that belong to the zygote itself.
    """
    return _threads() or _modules() or _sockets(own_descriptors)


def _threads() -> str | None:
    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    if others:
        return f"importing the file starts threads ({', '.join(sorted(others)[:5])})"
    native = _native_threads()
    if native > 1:
        return f"importing the file starts {native - 1} native thread(s)"
    return None


def _native_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def _modules() -> str | None:
    for name, why in BREAKS_AFTER_FORK.items():
        if name in sys.modules:
            return f"the file imports {name}: {why}"
    torch_cuda = sys.modules.get("torch.cuda")
    if torch_cuda is not None and torch_cuda.is_initialized():
        return "importing the file initialises CUDA, which does not survive a fork"
    return None


def _sockets(own: frozenset[int]) -> str | None:
    try:
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return None
    for descriptor in descriptors:
        if descriptor in own or descriptor <= 2:
            continue
        try:
            target = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue  # the listing's own descriptor
        if target.startswith("socket:"):
            return "importing the file opens a network connection or socket"
        if target == "anon_inode:[eventpoll]":
            return "importing the file starts an event loop"
    return None
