"""Runs an operator and its triggers one after the other, in this process."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import MagicMock

from airflow.sdk.exceptions import TaskDeferred
from airflow.triggers.base import TriggerEvent


def mock_context(task: Any) -> dict[str, Any]:
    """A context whose task instance keeps the XComs that are pushed."""
    pushed: dict[str, Any] = {}

    def pull(task_ids: Any = None, key: str = "return_value", default: Any = None, **_: Any) -> Any:
        return pushed.get(key, default)

    instance = MagicMock(name="ti", task=task, task_id=task.task_id, map_index=-1)
    instance.xcom_push.side_effect = lambda key, value, **_: pushed.__setitem__(key, value)
    instance.xcom_pull.side_effect = pull
    return {"task": task, "ti": instance, "task_instance": instance}


def run_trigger(trigger: Any) -> list[TriggerEvent]:
    """All events of the trigger."""

    async def collect() -> list[TriggerEvent]:
        return [event async for event in trigger.run()]

    return asyncio.run(collect())


def execute_operator(operator: Any) -> tuple[Any, list[TriggerEvent]]:
    """(what the operator returns at last, the first event of each of its triggers)."""
    context = mock_context(operator)
    events: list[TriggerEvent] = []
    method, arguments = operator.execute, {}
    while True:
        try:
            return method(context, **arguments), events
        except TaskDeferred as deferred:
            (event, *_) = run_trigger(deferred.trigger)
            events.append(event)
            method = getattr(operator, deferred.method_name)
            arguments = {**(deferred.kwargs or {}), "event": event.payload}
