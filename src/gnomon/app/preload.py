"""What the services share is imported once, before they are forked; the pages stay shared because they are frozen.

Nothing of the store is here: the worker's zygotes are forked from what this process has, and a task must find neither a
database module nor an address in its memory. Each service imports its store by itself.
"""

from __future__ import annotations

import gc
import importlib

SHARED_MODULES = (
    "gnomon.model.records",
    "gnomon.processes.message_stream",
    "gnomon.processes.task_api_messages",
    "gnomon.executors.worker_protocol",
    "gnomon.wakeups",
    "gnomon.sdk",
    "gnomon.operators",
    "gnomon.context",
    "gnomon.loading",
    "gnomon.runner",
    "gnomon.executors.interface",
    "gnomon.planning",
    "gnomon.timetables",
    "jinja2",
    "pendulum",
    "msgspec.json",
    "msgspec.msgpack",
    "selectors",
    "uuid",
)
"""In the order of import. Grow this list with what several services import, never with what only one needs."""


def import_shared() -> None:
    """All of `SHARED_MODULES` is imported."""
    for name in SHARED_MODULES:
        importlib.import_module(name)


def freeze_heap() -> None:
    """What lives now is never looked at again by the garbage collector, so that forked children do not copy its pages."""
    gc.collect()
    gc.freeze()
