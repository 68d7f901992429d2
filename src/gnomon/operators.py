"""The built-in operators and sensors. Public: each module is imported when one of its names is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring import operators as _package

if TYPE_CHECKING:
    from gnomon.authoring.operators.bash import BashOperator, BashSensor
    from gnomon.authoring.operators.branch_by_date import (
        BranchDateTimeOperator,
        BranchDayOfWeekOperator,
        LatestOnlyOperator,
    )
    from gnomon.authoring.operators.empty import EmptyOperator
    from gnomon.authoring.operators.external_task_sensor import ExternalTaskMarker, ExternalTaskSensor
    from gnomon.authoring.operators.file_sensor import FileSensor
    from gnomon.authoring.operators.hitl import ApprovalOperator, HITLBranchOperator, HITLEntryOperator, HITLOperator
    from gnomon.authoring.operators.python import (
        BranchPythonOperator,
        PythonOperator,
        PythonSensor,
        ShortCircuitOperator,
    )
    from gnomon.authoring.operators.smooth import SmoothOperator
    from gnomon.authoring.operators.time_sensors import (
        DateTimeSensor,
        DateTimeSensorAsync,
        DayOfWeekSensor,
        TimeDeltaSensor,
        TimeDeltaSensorAsync,
        TimeSensor,
        TimeSensorAsync,
        WaitSensor,
    )
    from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator
    from gnomon.authoring.operators.virtualenv import (
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(_package, name)
