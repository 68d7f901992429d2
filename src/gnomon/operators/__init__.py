"""Operators and sensors of Gnomon. A module is loaded when one of its names is first used.

`python` and `bash` are the most used operators: open one of them first. `triggers` has the triggers of the deferrable sensors.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.operators.bash import BashOperator, BashSensor
    from gnomon.operators.branch_by_date import BranchDateTimeOperator, BranchDayOfWeekOperator, LatestOnlyOperator
    from gnomon.operators.empty import EmptyOperator
    from gnomon.operators.external_task_sensor import ExternalTaskMarker, ExternalTaskSensor
    from gnomon.operators.file_sensor import FileSensor
    from gnomon.operators.hitl import ApprovalOperator, HITLBranchOperator, HITLEntryOperator, HITLOperator
    from gnomon.operators.python import BranchPythonOperator, PythonOperator, PythonSensor, ShortCircuitOperator
    from gnomon.operators.smooth import SmoothOperator
    from gnomon.operators.time_sensors import (
        DateTimeSensor,
        DateTimeSensorAsync,
        DayOfWeekSensor,
        TimeDeltaSensor,
        TimeDeltaSensorAsync,
        TimeSensor,
        TimeSensorAsync,
        WaitSensor,
    )
    from gnomon.operators.trigger_dag_run import TriggerDagRunOperator
    from gnomon.operators.virtualenv import (
        BranchExternalPythonOperator,
        BranchPythonVirtualenvOperator,
        ExternalPythonOperator,
        PythonVirtualenvOperator,
    )

__all__ = [
    "ApprovalOperator",
    "BashOperator",
    "BashSensor",
    "BranchDateTimeOperator",
    "BranchDayOfWeekOperator",
    "BranchExternalPythonOperator",
    "BranchPythonOperator",
    "BranchPythonVirtualenvOperator",
    "DateTimeSensor",
    "DateTimeSensorAsync",
    "DayOfWeekSensor",
    "EmptyOperator",
    "ExternalPythonOperator",
    "ExternalTaskMarker",
    "ExternalTaskSensor",
    "FileSensor",
    "HITLBranchOperator",
    "HITLEntryOperator",
    "HITLOperator",
    "LatestOnlyOperator",
    "PythonOperator",
    "PythonSensor",
    "PythonVirtualenvOperator",
    "ShortCircuitOperator",
    "SmoothOperator",
    "TimeDeltaSensor",
    "TimeDeltaSensorAsync",
    "TimeSensor",
    "TimeSensorAsync",
    "TriggerDagRunOperator",
    "WaitSensor",
]

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"gnomon.operators has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"gnomon.operators.{_MODULES[name]}"), name)
