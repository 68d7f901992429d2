"""The shapes of jobs in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.common.shapes import Answer


class JobResponse(Answer):
    """`JobResponse` of Airflow's document."""

    id: int
    dag_id: str | None
    state: str | None
    job_type: str | None
    start_date: datetime | None
    end_date: datetime | None
    latest_heartbeat: datetime | None
    executor_class: str | None
    hostname: str | None
    unixname: str | None
    dag_display_name: str | None = None


class JobCollectionResponse(Answer):
    """`JobCollectionResponse` of Airflow's document."""

    jobs: list[JobResponse]
    total_entries: int
