"""Operators and sensors of Gnomon. A module is loaded when one of its names is first used.

`python` and `bash` are the most used operators: open one of them first. `triggers` has the triggers of the deferrable sensors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "ApprovalOperator": "hitl",
    "BashOperator": "bash",
    "BashSensor": "bash",
    "BranchDateTimeOperator": "branch_by_date",
    "BranchDayOfWeekOperator": "branch_by_date",
    "BranchExternalPythonOperator": "virtualenv",
    "BranchPythonOperator": "python",
    "BranchPythonVirtualenvOperator": "virtualenv",
    "DateTimeSensor": "time_sensors",
    "DateTimeSensorAsync": "time_sensors",
    "DayOfWeekSensor": "time_sensors",
    "EmptyOperator": "empty",
    "ExternalPythonOperator": "virtualenv",
    "ExternalTaskMarker": "external_task_sensor",
    "ExternalTaskSensor": "external_task_sensor",
    "FileSensor": "file_sensor",
    "HITLBranchOperator": "hitl",
    "HITLEntryOperator": "hitl",
    "HITLOperator": "hitl",
    "LatestOnlyOperator": "branch_by_date",
    "PythonOperator": "python",
    "PythonSensor": "python",
    "PythonVirtualenvOperator": "virtualenv",
    "ShortCircuitOperator": "python",
    "SmoothOperator": "smooth",
    "TimeDeltaSensor": "time_sensors",
    "TimeDeltaSensorAsync": "time_sensors",
    "TimeSensor": "time_sensors",
    "TimeSensorAsync": "time_sensors",
    "TriggerDagRunOperator": "trigger_dag_run",
    "WaitSensor": "time_sensors",
}

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Imports the module of a name at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
