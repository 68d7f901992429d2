"""A task that names a task of another DAG that depends on this one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.operators.empty import EmptyOperator
from gnomon.sdk.place import at


class ExternalTaskMarker(EmptyOperator):
    """Says that `external_task_id` of `external_dag_id` depends on this task; it does nothing when it runs."""

    template_fields: ClassVar[Collection[str]] = ["external_dag_id", "external_task_id", "logical_date"]
    ui_color = "#4db7db"

    def __init__(
        self,
        *,
        external_dag_id: str,
        external_task_id: str,
        logical_date: str | Any = "{{ logical_date.isoformat() }}",
        recursion_depth: int = 10,
        execution_date: str | Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.external_dag_id = external_dag_id
        self.external_task_id = external_task_id
        given = logical_date if execution_date is None else execution_date
        self.logical_date = given if isinstance(given, str) or not hasattr(given, "isoformat") else given.isoformat()
        if recursion_depth <= 0:
            raise ValueError(f"Task {self.task_id!r}{at(self._place)}: recursion_depth must be 1 or more.")
        self.recursion_depth = recursion_depth
