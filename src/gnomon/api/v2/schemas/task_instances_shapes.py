"""The shapes of task instances in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.api.v2.schemas.jobs_shapes import JobResponse
from gnomon.api.v2.schemas.versions_shapes import DagVersionResponse
from gnomon.model.states import TaskInstanceState
from gnomon.storage.store.dag_records.notes import NOTE_MAX


class TriggerResponse(Answer):
    """`TriggerResponse` of Airflow's document."""

    id: int
    classpath: str
    kwargs: str
    created_date: datetime
    queue: str | None
    triggerer_id: int | None


class TaskInstanceResponse(Answer):
    """`TaskInstanceResponse` of Airflow's document."""

    id: UUID
    task_id: str
    dag_id: str
    dag_run_id: str
    map_index: int
    logical_date: datetime | None
    run_after: datetime
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    state: TaskInstanceState | None
    try_number: int
    max_tries: int
    task_display_name: str
    dag_display_name: str
    hostname: str | None
    unixname: str | None
    pool: str
    pool_slots: int
    queue: str | None
    priority_weight: int | None
    operator: str | None
    operator_name: str | None
    queued_when: datetime | None
    scheduled_when: datetime | None
    pid: int | None
    executor: str | None
    executor_config: str
    note: str | None
    rendered_map_index: str | None
    rendered_fields: dict[str, object] = {}
    """The template fields that are not empty as they were rendered for the last attempt that ended, each cut to `[core] max_templated_field_length` characters; empty in lists."""
    trigger: TriggerResponse | None
    triggerer_job: JobResponse | None
    dag_version: DagVersionResponse | None


class TaskInstanceCollectionResponse(Answer):
    """`TaskInstanceCollectionResponse` of Airflow's document."""

    task_instances: list[TaskInstanceResponse]
    total_entries: int | None = None
    total_entries_limit: int | None = None
    next_cursor: str | None = None
    previous_cursor: str | None = None


class TaskInstanceHistoryResponse(Answer):
    """`TaskInstanceHistoryResponse` of Airflow's document."""

    task_id: str
    dag_id: str
    dag_run_id: str
    map_index: int
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    state: TaskInstanceState | None
    try_number: int
    max_tries: int
    task_display_name: str
    dag_display_name: str
    hostname: str | None
    unixname: str | None
    pool: str
    pool_slots: int
    queue: str | None
    priority_weight: int | None
    operator: str | None
    operator_name: str | None
    queued_when: datetime | None
    scheduled_when: datetime | None
    pid: int | None
    executor: str | None
    executor_config: str
    dag_version: DagVersionResponse | None


class TaskInstanceHistoryCollectionResponse(Answer):
    """`TaskInstanceHistoryCollectionResponse` of Airflow's document."""

    task_instances: list[TaskInstanceHistoryResponse]
    total_entries: int


class TaskDependencyResponse(Answer):
    """`TaskDependencyResponse` of Airflow's document."""

    name: str
    reason: str


class TaskDependencyCollectionResponse(Answer):
    """`TaskDependencyCollectionResponse` of Airflow's document."""

    dependencies: list[TaskDependencyResponse]


class TaskInstancesBatchBody(Body):
    """`TaskInstancesBatchBody` of Airflow's document."""

    dag_ids: list[str] | None = None
    dag_run_ids: list[str] | None = None
    task_ids: list[str] | None = None
    state: list[TaskInstanceState | None] | None = None
    run_after_gte: datetime | None = None
    run_after_gt: datetime | None = None
    run_after_lte: datetime | None = None
    run_after_lt: datetime | None = None
    logical_date_gte: datetime | None = None
    logical_date_gt: datetime | None = None
    logical_date_lte: datetime | None = None
    logical_date_lt: datetime | None = None
    start_date_gte: datetime | None = None
    start_date_gt: datetime | None = None
    start_date_lte: datetime | None = None
    start_date_lt: datetime | None = None
    end_date_gte: datetime | None = None
    end_date_gt: datetime | None = None
    end_date_lte: datetime | None = None
    end_date_lt: datetime | None = None
    duration_gte: float | None = None
    duration_gt: float | None = None
    duration_lte: float | None = None
    duration_lt: float | None = None
    pool: list[str] | None = None
    queue: list[str] | None = None
    executor: list[str] | None = None
    page_offset: int = Field(0, ge=0)
    page_limit: int = Field(100, ge=0)
    order_by: str | None = None


class ClearTaskInstancesBody(Body):
    """`ClearTaskInstancesBody` of Airflow's document."""

    dry_run: bool = True
    start_date: datetime | None = None
    end_date: datetime | None = None
    only_failed: bool = True
    only_running: bool = False
    reset_dag_runs: bool = True
    task_ids: list[str | list[object]] | None = None
    dag_run_id: str | None = None
    include_upstream: bool = False
    include_downstream: bool = False
    include_future: bool = False
    include_past: bool = False
    run_on_latest_version: bool | None = None
    prevent_running_task: bool = False
    note: str | None = Field(default=None, max_length=NOTE_MAX)


class PatchTaskInstanceBody(Body):
    """`PatchTaskInstanceBody` of Airflow's document."""

    new_state: TaskInstanceState | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)
    include_upstream: bool = False
    include_downstream: bool = False
    include_future: bool = False
    include_past: bool = False


class BulkTaskInstanceBody(PatchTaskInstanceBody):
    """`BulkTaskInstanceBody` of Airflow's document."""

    task_id: str
    map_index: int | None = None
    dag_id: str | None = None
    dag_run_id: str | None = None


class NewTaskResponse(Answer):
    """`NewTaskResponse` of Airflow's document."""

    task_id: str
    task_display_name: str


class ClearTaskInstanceCollectionResponse(Answer):
    """`ClearTaskInstanceCollectionResponse` of Airflow's document."""

    task_instances: list[TaskInstanceResponse | NewTaskResponse]
    total_entries: int
