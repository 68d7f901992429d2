"""Triggers of Gnomon. A module is loaded when one of its names is first used.

`temporal` waits for a time, `file` for a file (with `folder_watch`), `external_task` for runs of other DAGs. Open `file` first.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.authoring.operators.triggers.external_task import DagStateTrigger, TaskStateTrigger, WorkflowTrigger
    from gnomon.authoring.operators.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger
    from gnomon.authoring.operators.triggers.hitl_trigger import HITLTrigger
    from gnomon.authoring.operators.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger
    from gnomon.authoring.operators.triggers.testing import FailureTrigger, SuccessTrigger

__all__ = [
    "DagStateTrigger",
    "DateTimeTrigger",
    "DirectoryFileDeleteTrigger",
    "FailureTrigger",
    "FileDeleteTrigger",
    "FileTrigger",
    "HITLTrigger",
    "SuccessTrigger",
    "TaskStateTrigger",
    "TimeDeltaTrigger",
    "WorkflowTrigger",
]

_MODULES = {
    "DagStateTrigger": "external_task",
    "DateTimeTrigger": "temporal",
    "DirectoryFileDeleteTrigger": "file",
    "FailureTrigger": "testing",
    "FileDeleteTrigger": "file",
    "FileTrigger": "file",
    "HITLTrigger": "hitl_trigger",
    "SuccessTrigger": "testing",
    "TaskStateTrigger": "external_task",
    "TimeDeltaTrigger": "temporal",
    "WorkflowTrigger": "external_task",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"gnomon.authoring.operators.triggers has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"gnomon.authoring.operators.triggers.{_MODULES[name]}"), name)
