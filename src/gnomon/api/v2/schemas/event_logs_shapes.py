"""The shapes of event logs in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from gnomon.api.common.shapes import Answer


class EventLogResponse(Answer):
    """`EventLogResponse` of Airflow's document."""

    event_log_id: int
    when: datetime
    dag_id: str | None
    task_id: str | None
    run_id: str | None
    map_index: int | None
    try_number: int | None
    event: str
    logical_date: datetime | None
    owner: str | None
    extra: str | None
    dag_display_name: str | None = None
    task_display_name: str | None = None
    address: str | None = None
    """Ours: from where the user asked, over the API; only administrators see it."""


class EventLogCollectionResponse(Answer):
    """`EventLogCollectionResponse` of Airflow's document."""

    event_logs: list[EventLogResponse]
    total_entries: int = Field(
        description="A lower bound in two cases: rows are counted up to 1,000 behind the page; and a search of all DAGs by filters that no index serves counts "
        "those that it has found among the first 20,000 rows."
    )
    searched_until: datetime | None = None
    """Ours: a search of `by_people` in the order of `when` ended before the page was full: how far it has come. `before` goes on from there."""
