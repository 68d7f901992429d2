"""The shapes of backfills in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.model.backfills import DEFAULT_MAX_ACTIVE_RUNS


class ReprocessBehavior(str, Enum):
    """The values of Airflow."""

    FAILED = "failed"
    COMPLETED = "completed"
    NONE = "none"


class BackfillPostBody(Body):
    """`BackfillPostBody` of Airflow's document."""

    dag_id: str
    from_date: datetime
    to_date: datetime
    run_backwards: bool = False
    dag_run_conf: dict[str, object] | None = None
    reprocess_behavior: ReprocessBehavior = ReprocessBehavior.NONE
    max_active_runs: int = Field(DEFAULT_MAX_ACTIVE_RUNS)
    run_on_latest_version: bool | None = None


class BackfillResponse(Answer):
    """`BackfillResponse` of Airflow's document."""

    id: int = Field(ge=0)
    dag_id: str
    from_date: datetime
    to_date: datetime
    dag_run_conf: dict[str, object] | None
    is_paused: bool
    reprocess_behavior: ReprocessBehavior
    max_active_runs: int
    created_at: datetime
    completed_at: datetime | None
    updated_at: datetime
    dag_display_name: str


class BackfillCollectionResponse(Answer):
    """`BackfillCollectionResponse` of Airflow's document."""

    backfills: list[BackfillResponse]
    total_entries: int


class DryRunBackfillResponse(Answer):
    """`DryRunBackfillResponse` of Airflow's document."""

    logical_date: datetime | None
    partition_key: str | None
    partition_date: datetime | None


class DryRunBackfillCollectionResponse(Answer):
    """`DryRunBackfillCollectionResponse` of Airflow's document."""

    backfills: list[DryRunBackfillResponse]
    total_entries: int
