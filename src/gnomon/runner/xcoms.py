"""What an attempt hands to later tasks by returning, as typed JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.errors.authoring import XComOverLimit
from gnomon.model.facts import xcom_excess
from gnomon.serde import dumps

RETURN_KEY = "return_value"


def outputs(task: Any, result: object) -> dict[str, str]:
    """Key to value: each output where the task has several, then the returned value.

    Raises NotSerializable and XComOverLimit, naming the key, and TypeError when `multiple_outputs` has no mapping of text
    keys to take apart.
    """
    if result is None or not getattr(task, "do_xcom_push", True):
        return {}
    values = {**(_taken_apart(task, result) if getattr(task, "multiple_outputs", False) else {}), RETURN_KEY: result}
    return {key: _encoded(value, f"XCom {key!r} of task {task.task_id!r}") for key, value in values.items()}


def _encoded(value: object, what: str) -> str:
    text = dumps(value, what=what)
    excess = xcom_excess(what, text)
    if excess is not None:
        raise XComOverLimit(excess)
    return text


def _taken_apart(task: Any, result: object) -> dict[str, object]:
    if not isinstance(result, Mapping):
        raise TypeError(
            f"task {task.task_id!r} has multiple_outputs=True and returned a {type(result).__name__}; return a dict"
        )
    for key in result:
        if not isinstance(key, str):
            raise TypeError(
                f"task {task.task_id!r} has multiple_outputs=True and returned the key {key!r}; use text as keys"
            )
    return dict(result)
