"""Operators that come with Gnomon. Each module is loaded when one of its names is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.operators.bash import BashOperator
    from gnomon.operators.bash_sensor import BashSensor
    from gnomon.operators.branch_time import BranchDateTimeOperator, BranchDayOfWeekOperator
    from gnomon.operators.date_time_sensor import DateTimeSensor, DateTimeSensorAsync
    from gnomon.operators.day_of_week_sensor import DayOfWeekSensor
    from gnomon.operators.empty import EmptyOperator
    from gnomon.operators.external_task_marker import ExternalTaskMarker
    from gnomon.operators.external_task_sensor import ExternalTaskSensor
    from gnomon.operators.file_sensor import FileSensor
    from gnomon.operators.latest_only import LatestOnlyOperator
    from gnomon.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator
    from gnomon.operators.python_sensor import PythonSensor
    from gnomon.operators.time_delta_sensor import TimeDeltaSensor, TimeDeltaSensorAsync, WaitSensor
    from gnomon.operators.time_sensor import TimeSensor, TimeSensorAsync
    from gnomon.operators.trigger_dag_run import TriggerDagRunOperator

__all__ = [
    "BashOperator",
    "BashSensor",
    "BranchDateTimeOperator",
    "BranchDayOfWeekOperator",
    "BranchPythonOperator",
    "DateTimeSensor",
    "DateTimeSensorAsync",
    "DayOfWeekSensor",
    "EmptyOperator",
    "ExternalTaskMarker",
    "ExternalTaskSensor",
    "FileSensor",
    "LatestOnlyOperator",
    "PythonOperator",
    "PythonSensor",
    "ShortCircuitOperator",
    "TimeDeltaSensor",
    "TimeDeltaSensorAsync",
    "TimeSensor",
    "TimeSensorAsync",
    "TriggerDagRunOperator",
    "WaitSensor",
]

_HOMES = {
    "BashOperator": "bash",
    "BashSensor": "bash_sensor",
    "BranchDateTimeOperator": "branch_time",
    "BranchDayOfWeekOperator": "branch_time",
    "BranchPythonOperator": "python",
    "DateTimeSensor": "date_time_sensor",
    "DateTimeSensorAsync": "date_time_sensor",
    "DayOfWeekSensor": "day_of_week_sensor",
    "EmptyOperator": "empty",
    "ExternalTaskMarker": "external_task_marker",
    "ExternalTaskSensor": "external_task_sensor",
    "FileSensor": "file_sensor",
    "LatestOnlyOperator": "latest_only",
    "PythonOperator": "python",
    "PythonSensor": "python_sensor",
    "ShortCircuitOperator": "python",
    "TimeDeltaSensor": "time_delta_sensor",
    "TimeDeltaSensorAsync": "time_delta_sensor",
    "TimeSensor": "time_sensor",
    "TimeSensorAsync": "time_sensor",
    "TriggerDagRunOperator": "trigger_dag_run",
    "WaitSensor": "time_delta_sensor",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"gnomon.operators has no {name!r}; it has {', '.join(__all__)}")
    return getattr(importlib.import_module(f"gnomon.operators.{_HOMES[name]}"), name)
