"""Imports the modules that services share, once, before the services are forked; the heap is frozen so that pages stay shared.

No module of the store is among them: the worker's zygotes are forked from this process, and a task must find neither a
database module nor an address in its memory. Each service imports its store by itself.
"""

from __future__ import annotations

import gc
import importlib

SHARED_MODULES = (
    "gnomon.model.records",
    "gnomon.author_code.processes.message_stream",
    "gnomon.author_code.processes.task_api_messages",
    "gnomon.services.executors.worker_protocol",
    "gnomon.ground.wakeups",
    "gnomon.authoring.sdk",
    "gnomon.authoring.operators",
    "gnomon.author_code.context",
    "gnomon.author_code.loading",
    "gnomon.author_code.runner",
    "gnomon.services.executors.interface",
    "gnomon.rules.planning",
    "gnomon.rules.timetables",
    "jinja2",
    "pendulum",
    "msgspec.json",
    "msgspec.msgpack",
    "selectors",
    "uuid",
)
"""In the order of import. Add modules that several services import, never modules that only one service needs."""


def import_shared() -> None:
    """Import all of SHARED_MODULES."""
    for name in SHARED_MODULES:
        importlib.import_module(name)


def freeze_heap() -> None:
    """Exempt all current objects from garbage collection, so that forked children do not copy their pages."""
    gc.collect()
    gc.freeze()
