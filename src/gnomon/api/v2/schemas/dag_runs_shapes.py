"""The shapes of dag runs in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.api.v2.schemas.versions_shapes import DagVersionResponse
from gnomon.model.states import DagRunState, DagRunTriggeredByType, DagRunType
from gnomon.storage.store.dag_records.notes import NOTE_MAX


class DagRunMutableStates(str, Enum):
    """The values of Airflow."""

    QUEUED = "queued"
    SUCCESS = "success"
    FAILED = "failed"


class DAGRunResponse(Answer):
    """`DAGRunResponse` of Airflow's document."""

    dag_run_id: str
    dag_id: str
    logical_date: datetime | None
    queued_at: datetime | None
    start_date: datetime | None
    end_date: datetime | None
    duration: float | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime
    last_scheduling_decision: datetime | None
    run_type: DagRunType
    state: DagRunState
    triggered_by: DagRunTriggeredByType | None
    triggering_user_name: str | None
    conf: dict[str, object] | None
    note: str | None
    dag_versions: list[DagVersionResponse]
    bundle_version: str | None
    dag_display_name: str
    partition_key: str | None
    partition_date: datetime | None


class DAGRunCollectionResponse(Answer):
    """`DAGRunCollectionResponse` of Airflow's document."""

    dag_runs: list[DAGRunResponse]
    total_entries: int | None = None
    total_entries_limit: int | None = None
    next_cursor: str | None = None
    previous_cursor: str | None = None


class DAGRunPatchBody(Body):
    """`DAGRunPatchBody` of Airflow's document."""

    state: DagRunMutableStates | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)


class TriggerDAGRunPostBody(Body):
    """`TriggerDAGRunPostBody` of Airflow's document."""

    dag_run_id: str | None = None
    data_interval_start: datetime | None = None
    data_interval_end: datetime | None = None
    logical_date: datetime | None
    run_after: datetime | None = None
    conf: dict[str, object] | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)
    partition_key: str | None = None


class DAGRunClearBody(Body):
    """`DAGRunClearBody` of Airflow's document."""

    dry_run: bool = True
    only_failed: bool = False
    only_new: bool = False
    run_on_latest_version: bool | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)


class DAGRunsBatchBody(Body):
    """`DAGRunsBatchBody` of Airflow's document."""

    order_by: str | None = None
    page_offset: int = Field(0, ge=0)
    page_limit: int = Field(100, ge=0)
    dag_ids: list[str] | None = None
    states: list[DagRunState | None] | None = None
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
    conf_contains: str | None = None


class BulkDAGRunBody(Body):
    """`BulkDAGRunBody` of Airflow's document."""

    dag_run_id: str
    dag_id: str | None = None
    state: DagRunMutableStates | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)


class BulkDAGRunClearBody(DAGRunClearBody):
    """`BulkDAGRunClearBody` of Airflow's document."""

    dag_runs: list[BulkDAGRunBody] = []
    partition_key: str | None = None
    partition_date_start: datetime | None = None
    partition_date_end: datetime | None = None
