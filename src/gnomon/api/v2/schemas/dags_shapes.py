"""The shapes of dags in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.api.common.shapes import Answer, Body
from gnomon.api.v2.schemas.versions_shapes import DagVersionResponse
from gnomon.model.states import DagRunType


class DagTagResponse(Answer):
    """`DagTagResponse` of Airflow's document."""

    name: str
    dag_id: str
    dag_display_name: str


class DAGResponse(Answer):
    """`DAGResponse` of Airflow's document."""

    dag_id: str
    dag_display_name: str
    is_paused: bool
    is_stale: bool
    last_parsed_time: datetime | None
    last_parse_duration: float | None
    last_expired: datetime | None
    bundle_name: str | None
    bundle_version: str | None
    relative_fileloc: str | None
    fileloc: str
    description: str | None
    timetable_summary: str | None
    timetable_description: str | None
    timetable_partitioned: bool
    timetable_periodic: bool
    tags: list[DagTagResponse]
    max_active_tasks: int
    max_active_runs: int | None
    max_consecutive_failed_dag_runs: int
    has_task_concurrency_limits: bool
    has_import_errors: bool
    next_dagrun_logical_date: datetime | None
    next_dagrun_data_interval_start: datetime | None
    next_dagrun_data_interval_end: datetime | None
    next_dagrun_run_after: datetime | None
    allowed_run_types: list[DagRunType] | None
    owners: list[str]
    is_backfillable: bool
    file_token: str


class DAGCollectionResponse(Answer):
    """`DAGCollectionResponse` of Airflow's document."""

    dags: list[DAGResponse]
    total_entries: int


class DAGDetailsResponse(Answer):
    """`DAGDetailsResponse` of Airflow's document."""

    dag_id: str
    dag_display_name: str
    is_paused: bool
    is_stale: bool
    last_parsed_time: datetime | None
    last_parse_duration: float | None
    last_expired: datetime | None
    bundle_name: str | None
    bundle_version: str | None
    relative_fileloc: str | None
    fileloc: str
    description: str | None
    timetable_summary: str | None
    timetable_description: str | None
    timetable_partitioned: bool
    timetable_periodic: bool
    tags: list[DagTagResponse]
    max_active_tasks: int
    max_active_runs: int | None
    max_consecutive_failed_dag_runs: int
    has_task_concurrency_limits: bool
    has_import_errors: bool
    next_dagrun_logical_date: datetime | None
    next_dagrun_data_interval_start: datetime | None
    next_dagrun_data_interval_end: datetime | None
    next_dagrun_run_after: datetime | None
    allowed_run_types: list[DagRunType] | None
    owners: list[str]
    catchup: bool
    dag_run_timeout: timedelta | None
    asset_expression: dict[str, object] | None
    doc_md: str | None
    start_date: datetime | None
    end_date: datetime | None
    is_paused_upon_creation: bool | None
    params: dict[str, object] | None
    render_template_as_native_obj: bool
    template_search_path: list[str] | None
    timezone: str | None
    last_parsed: datetime | None
    default_args: dict[str, object] | None
    rerun_with_latest_version: bool | None = None
    owner_links: dict[str, str] | None = None
    is_favorite: bool = False
    active_runs_count: int = 0
    is_backfillable: bool
    file_token: str
    concurrency: int
    latest_dag_version: DagVersionResponse | None


class DAGPatchBody(Body):
    """`DAGPatchBody` of Airflow's document."""

    is_paused: bool


class DAGTagCollectionResponse(Answer):
    """`DAGTagCollectionResponse` of Airflow's document."""

    tags: list[str]
    total_entries: int
