"""What a clear of a marker such as ExternalTaskMarker clears in another DAG, as the spec stores it."""

from __future__ import annotations

import re
from typing import Any

from gnomon.authoring.sdk.mapping.mapped_operator import MappedOperator
from gnomon.model.spec import ClearedTask

MARKED_FIELDS = ("external_dag_id", "external_task_id", "logical_date")
_OWN_DATE = re.compile(r"\s*\{\{\s*(?:(?:logical_date|execution_date)(?:\.isoformat\(\))?|ts)\s*\}\}\s*")


def find_cleared_task(task: Any) -> ClearedTask | None:
    """Return what a clear of the task clears too; None for a task that is no marker."""
    if not getattr(task.operator_class, "is_clear_marker", False):
        return None
    if isinstance(task, MappedOperator):
        depth = task.partial_kwargs.get("recursion_depth", 10)
        return ClearedTask(depth=depth if isinstance(depth, int) else 10)
    dag_id, task_id, date = (getattr(task, name) for name in MARKED_FIELDS)
    is_own_date = isinstance(date, str) and _OWN_DATE.fullmatch(date) is not None
    if any(
        not isinstance(part, str) or "{{" in part or "{%" in part
        for part in (dag_id, task_id, "" if is_own_date else date)
    ):
        return ClearedTask(depth=task.recursion_depth, template=dag_id if isinstance(dag_id, str) else "")
    return ClearedTask(
        dag_id=dag_id, task_id=task_id, logical_date=None if is_own_date else date, depth=task.recursion_depth
    )
