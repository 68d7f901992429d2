"""What an attempt hands to later tasks, as typed JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.model.facts import XComItem
from gnomon.serde import dumps

RETURN_KEY = "return_value"


def collect(task: Any, pushed: Mapping[str, object], result: object) -> tuple[XComItem, ...]:
    """One item a key: what was pushed, then the outputs, then the returned value.

    Raises NotSerializable, naming the key, and TypeError when `multiple_outputs` has no mapping of text keys to take apart.
    """
    values = dict(pushed)
    if result is not None and getattr(task, "do_xcom_push", True):
        if getattr(task, "multiple_outputs", False):
            values.update(_outputs(task, result))
        values[RETURN_KEY] = result
    return tuple(
        XComItem(key=key, value=dumps(value, what=f"XCom {key!r} of task {task.task_id!r}"))
        for key, value in values.items()
    )


def _outputs(task: Any, result: object) -> dict[str, object]:
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
