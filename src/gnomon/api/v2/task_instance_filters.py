"""The parameters of lists of task instances, and the fields that they filter and order by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from gnomon.api.common.filters import FilterField, read_instant, read_seconds
from gnomon.api.common.ordering import SortField
from gnomon.api.common.refusals import Refusal
from gnomon.api.v2.run_filters import RunTimeFilters
from gnomon.model.records import RunRecord
from gnomon.model.sentences import say
from gnomon.model.states import NO_STATUS_CODE, TASK_STATE_CODES, TaskInstanceState
from gnomon.queries.report.listings.task_instance_details import TaskInstanceDetail, find_executor, find_queue


class MappedInstanceFilters(RunTimeFilters):
    """The parameters of `GET .../taskInstances/{task_id}/listMapped`."""

    state: list[str] = Field([])
    pool: list[str] = Field([])
    pool_name_pattern: str | None = None
    pool_name_prefix_pattern: str | None = None
    queue: list[str] = Field([])
    queue_name_pattern: str | None = None
    queue_name_prefix_pattern: str | None = None
    executor: list[str] = Field([])
    version_number: list[int] = Field([])
    try_number: list[int] = Field([])
    operator: list[str] = Field([])
    operator_name_pattern: str | None = None
    operator_name_prefix_pattern: str | None = None
    map_index: list[int] = Field([])
    rendered_map_index_pattern: str | None = None
    rendered_map_index_prefix_pattern: str | None = None
    order_by: list[str] = Field([])


class TaskInstanceFilters(MappedInstanceFilters):
    """The parameters of `GET .../taskInstances`."""

    cursor: str | None = None
    task_id: str | None = None
    task_display_name_pattern: str | None = None
    task_display_name_prefix_pattern: str | None = None
    task_group_id: str | None = None
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None


def read_task_state(name: str) -> int:
    """The code of the state of a task instance; `none` and `no_status` for none. Raises Refusal (422)."""
    if name in ("none", "no_status"):
        return NO_STATUS_CODE
    try:
        return TASK_STATE_CODES[TaskInstanceState(name)]
    except ValueError:
        states = ", ".join(state.value for state in TaskInstanceState)
        raise Refusal(
            422, say("value_of_parameter_is_unknown", option="state", text=name, names=f"{states}, none")
        ) from None


TASK_INSTANCE_FIELDS = {
    "task_id": FilterField("task_id"),
    "run_after": FilterField("run_after", read_instant),
    "logical_date": FilterField("logical_date", read_instant),
    "start_date": FilterField("start_date", read_instant),
    "end_date": FilterField("end_date", read_instant),
    "updated_at": FilterField("updated_at", read_instant),
    "duration": FilterField("duration", read_seconds),
    "dag_id": FilterField("dag_id"),
    "run_id": FilterField("run_id"),
    "state": FilterField("state", read_task_state),
    "pool": FilterField("pool"),
    "pool_name": FilterField("pool"),
    "version_number": FilterField("version_number"),
    "try_number": FilterField("try_number"),
    "map_index": FilterField("map_index"),
    "rendered_map_index": FilterField("rendered_map_index"),
    "task_display_name": FilterField("task_display_name"),
    "task_group_id": FilterField("task_group_id"),
    "queue": FilterField("queue"),
    "queue_name": FilterField("queue"),
    "executor": FilterField("executor"),
    "operator": FilterField("operator"),
    "operator_name": FilterField("operator"),
}
"""By the name of a filter."""
NO_FILTERS = ("limit", "offset", "cursor", "order_by")
ONLY_IN_SPECS = frozenset({"task_display_name", "task_group_id", "queue", "executor", "operator"})
"""Fields that only the spec of a DAG has: lists over several runs are searched for them, and cannot be ordered by them."""
TASK_INSTANCE_ORDER = {
    "id": SortField("run_pk"),
    "state": SortField("state"),
    "duration": SortField("duration", is_nullable=True),
    "start_date": SortField("start_date", is_nullable=True),
    "end_date": SortField("end_date", is_nullable=True),
    "map_index": SortField("map_index"),
    "try_number": SortField("try_number"),
    "logical_date": SortField("logical_date", is_nullable=True),
    "run_after": SortField("run_after"),
    "data_interval_start": SortField("data_interval_start", is_nullable=True),
    "data_interval_end": SortField("data_interval_end", is_nullable=True),
    "rendered_map_index": SortField("rendered_map_index", is_text=True, is_nullable=True),
    "operator": SortField("operator", is_text=True, is_nullable=True),
}
"""By the name of an attribute in `order_by`."""
ORDERS_WITH_INDEX = frozenset({"run_pk", "logical_date", "run_after"})
"""First fields of orders in which the store reads task instances of several runs from an index."""
TASK_INSTANCE_KEY = (SortField("run_pk"), SortField("task_no"), SortField("map_index"))


def read_fields(
    dag_id: str, run: RunRecord, version_number: int | None, detail: TaskInstanceDetail
) -> Mapping[str, Any]:
    """The values of the fields of a task instance, as the store has them for lists over several runs."""
    record = detail.record
    started_at, ended_at = (record.started_at, record.ended_at) if record is not None else (None, None)
    return {
        "run_pk": run.run_pk,
        "task_no": detail.task_no,
        "map_index": detail.row.map_index,
        "dag_id": dag_id,
        "run_id": run.run_id,
        "task_id": detail.row.task_id,
        "state": NO_STATUS_CODE if record is None or record.state is None else TASK_STATE_CODES[record.state],
        "try_number": 0 if record is None else record.try_number,
        "start_date": started_at,
        "end_date": ended_at,
        "duration": None if started_at is None or ended_at is None else ended_at - started_at,
        "updated_at": ended_at or started_at or run.queued_at,
        "logical_date": run.logical_at,
        "data_interval_start": run.interval_start,
        "data_interval_end": run.interval_end,
        "run_after": run.run_after,
        "version_number": version_number,
        "rendered_map_index": record.rendered_map_index if record else None,
        **read_spec_fields(detail),
    }


def read_spec_fields(detail: TaskInstanceDetail) -> Mapping[str, Any]:
    """The values of the fields of ONLY_IN_SPECS, and the pool."""
    record, spec = detail.record, detail.spec
    return {
        "task_display_name": (spec.display_name if spec else None) or detail.row.task_id,
        "task_group_id": spec.group if spec else None,
        "queue": find_queue(detail),
        "executor": find_executor(detail),
        "operator": spec.operator if spec else None,
        "pool": (record.pool if record else None) or (spec.pool if spec else None),
    }
