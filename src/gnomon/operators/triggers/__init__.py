"""Triggers that come with Gnomon. Each module is loaded when one of its names is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.operators.triggers.external_task import DagStateTrigger, WorkflowTrigger
    from gnomon.operators.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger
    from gnomon.operators.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger
    from gnomon.operators.triggers.testing import FailureTrigger, SuccessTrigger

__all__ = [
    "DagStateTrigger",
    "DateTimeTrigger",
    "DirectoryFileDeleteTrigger",
    "FailureTrigger",
    "FileDeleteTrigger",
    "FileTrigger",
    "SuccessTrigger",
    "TimeDeltaTrigger",
    "WorkflowTrigger",
]

_HOMES = {
    "DagStateTrigger": "external_task",
    "DateTimeTrigger": "temporal",
    "DirectoryFileDeleteTrigger": "file",
    "FailureTrigger": "testing",
    "FileDeleteTrigger": "file",
    "FileTrigger": "file",
    "SuccessTrigger": "testing",
    "TimeDeltaTrigger": "temporal",
    "WorkflowTrigger": "external_task",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"gnomon.operators.triggers has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"gnomon.operators.triggers.{_HOMES[name]}"), name)
