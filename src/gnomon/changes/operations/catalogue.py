"""All operations, by name."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from gnomon.changes.operations import (
    account_operations,
    alert_operations,
    asset_operations,
    asset_state_operations,
    audit_operations,
    backfill_operations,
    baseline_operations,
    channel_tests,
    connection_operations,
    dag_operations,
    downstream_operations,
    explain_operations,
    failure_operations,
    forecast_operations,
    hitl_operations,
    log_operations,
    pool_operations,
    quarantine_operations,
    run_operations,
    service_operations,
    slot_operations,
    task_operations,
    task_state_operations,
    timetable_operations,
    variable_operations,
    work_operations,
    xcom_operations,
)
from gnomon.changes.operations.operation import Operation

_MODULES = (
    dag_operations,
    run_operations,
    downstream_operations,
    task_operations,
    log_operations,
    explain_operations,
    work_operations,
    backfill_operations,
    asset_operations,
    hitl_operations,
    xcom_operations,
    pool_operations,
    variable_operations,
    connection_operations,
    account_operations,
    task_state_operations,
    asset_state_operations,
    alert_operations,
    channel_tests,
    audit_operations,
    service_operations,
    timetable_operations,
    slot_operations,
    quarantine_operations,
    failure_operations,
    baseline_operations,
    forecast_operations,
)


def list_operations() -> list[Operation[..., Any]]:
    """All operations, in the order of their modules and of their definition."""
    return [operation for module in _MODULES for operation in _iterate(module)]


def _iterate(module: ModuleType) -> Iterator[Operation[..., Any]]:
    for value in vars(module).values():
        if isinstance(value, Operation) and value.function.__module__ == module.__name__:
            yield value
