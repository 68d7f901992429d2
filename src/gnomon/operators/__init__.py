"""Operators that come with Gnomon. Each module is loaded when one of its names is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.operators.bash import BashOperator
    from gnomon.operators.branch_time import BranchDateTimeOperator, BranchDayOfWeekOperator
    from gnomon.operators.empty import EmptyOperator
    from gnomon.operators.latest_only import LatestOnlyOperator
    from gnomon.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator

__all__ = [
    "BashOperator",
    "BranchDateTimeOperator",
    "BranchDayOfWeekOperator",
    "BranchPythonOperator",
    "EmptyOperator",
    "LatestOnlyOperator",
    "PythonOperator",
    "ShortCircuitOperator",
]

_HOMES = {
    "BashOperator": "bash",
    "BranchDateTimeOperator": "branch_time",
    "BranchDayOfWeekOperator": "branch_time",
    "BranchPythonOperator": "python",
    "EmptyOperator": "empty",
    "LatestOnlyOperator": "latest_only",
    "PythonOperator": "python",
    "ShortCircuitOperator": "python",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"gnomon.operators has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"gnomon.operators.{_HOMES[name]}"), name)
