"""The shapes of tasks in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from gnomon.api.common.shapes import Answer


class TimeDelta(Answer):
    """`TimeDelta` of Airflow's document."""

    type_: str = Field(default="TimeDelta", alias="__type")
    days: int
    seconds: int
    microseconds: int


class TaskResponse(Answer):
    """`TaskResponse` of Airflow's document."""

    task_id: str | None
    task_display_name: str | None
    owner: str | None
    start_date: datetime | None
    end_date: datetime | None
    trigger_rule: str | None
    depends_on_past: bool
    wait_for_downstream: bool
    retries: float | None
    queue: str | None
    pool: str | None
    pool_slots: float | None
    execution_timeout: TimeDelta | None
    retry_delay: TimeDelta | None
    retry_exponential_backoff: float
    priority_weight: float | None
    weight_rule: str | None
    ui_color: str | None
    ui_fgcolor: str | None
    template_fields: list[str] | None
    downstream_task_ids: list[str] | None
    doc_md: str | None
    operator_name: str | None
    params: dict[str, object] | None
    class_ref: dict[str, object] | None
    is_mapped: bool | None
    extra_links: list[str]


class TaskCollectionResponse(Answer):
    """`TaskCollectionResponse` of Airflow's document."""

    tasks: list[TaskResponse]
    total_entries: int


class ExtraLinkCollectionResponse(Answer):
    """`ExtraLinkCollectionResponse` of Airflow's document."""

    extra_links: dict[str, str | None]
    total_entries: int
