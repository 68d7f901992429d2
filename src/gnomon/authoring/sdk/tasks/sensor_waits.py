"""What a sensor such as ExternalTaskSensor waits for, as the spec stores it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from gnomon.authoring.sdk.mapping.mapped_operator import MappedOperator
from gnomon.model.sensor_waits import SensorWait

LISTED_MAX = 100
"""The most waits of one mapped sensor that the spec lists."""
_STATE = "failed"
_DEFAULT_TIMEOUT_S = 7 * 86400.0
_NAMES = (
    "external_dag_id",
    "external_task_id",
    "external_task_ids",
    "external_task_group_id",
    "execution_delta",
    "execution_date_fn",
    "allowed_states",
    "failed_states",
    "timeout",
)


def find_sensor_waits(task: Any) -> tuple[SensorWait, ...]:
    """Return what the task waits for in other DAGs, each once; nothing for a task of another class."""
    if not getattr(task.operator_class, "waits_for_external_runs", False):
        return ()
    return tuple(dict.fromkeys(_build_wait(arguments) for arguments in _list_arguments(task)))


def _list_arguments(task: Any) -> Iterator[Mapping[str, Any]]:
    """The arguments of the sensor; of a mapped one those of each instance whose arguments the file contains, else what all instances share."""
    if not isinstance(task, MappedOperator):
        yield {name: getattr(task, name, None) for name in _NAMES}
        return
    mapped: Any = task.mapped_input.value
    shared = task.partial_kwargs
    if isinstance(mapped, Mapping) and isinstance(dag_ids := mapped.get("external_dag_id"), list | tuple):
        yield from ({**shared, **dict.fromkeys(mapped), "external_dag_id": dag_id} for dag_id in dag_ids[:LISTED_MAX])
    elif isinstance(mapped, list | tuple) and all(isinstance(element, Mapping) for element in mapped):
        yield from ({**shared, **element} for element in mapped[:LISTED_MAX])
    else:
        yield {**shared, **(mapped if isinstance(mapped, Mapping) else {"external_dag_id": None})}


def _build_wait(arguments: Mapping[str, Any]) -> SensorWait:
    dag_id = arguments.get("external_dag_id")
    is_template = isinstance(dag_id, str) and ("{{" in dag_id or "{%" in dag_id)
    group_id, span, timeout_s = (
        arguments.get("external_task_group_id"),
        arguments.get("execution_delta"),
        _read_seconds(arguments.get("timeout")),
    )
    return SensorWait(
        dag_id=dag_id if isinstance(dag_id, str) and not is_template else None,
        template=dag_id if isinstance(dag_id, str) and is_template else "",
        task_ids=_read_task_ids(arguments),
        group_id=group_id if isinstance(group_id, str) else None,
        delta_s=span.total_seconds() if isinstance(span, dt.timedelta) else 0.0,
        has_date_function=arguments.get("execution_date_fn") is not None,
        accepts_failure=_has_failed(arguments.get("allowed_states")),
        fails_with_upstream=_has_failed(arguments.get("failed_states")),
        timeout_s=None if timeout_s == _DEFAULT_TIMEOUT_S else timeout_s,
    )


def _read_task_ids(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    task_id, several = arguments.get("external_task_id"), arguments.get("external_task_ids")
    listed = [task_id] if task_id is not None else [several] if isinstance(several, str) else several
    return (
        tuple(dict.fromkeys(item for item in listed if isinstance(item, str)))
        if isinstance(listed, list | tuple | set)
        else ()
    )


def _read_seconds(value: Any) -> float | None:
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return float(value) if isinstance(value, int | float) else None


def _has_failed(states: Any) -> bool:
    return isinstance(states, list | tuple | set | frozenset) and any(
        str(getattr(state, "value", state)) == _STATE for state in states
    )
