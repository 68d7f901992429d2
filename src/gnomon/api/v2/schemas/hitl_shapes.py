"""The shapes of questions of tasks to people in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.api.v2.schemas.task_instances_shapes import TaskInstanceHistoryResponse, TaskInstanceResponse


class HITLUserAnswer(Answer):
    """`HITLUser` of Airflow's document."""

    id: str
    name: str


class HITLQuestion(Answer):
    """What `HITLDetail` and `HITLDetailHistory` of Airflow's document have in common."""

    options: list[str] = Field(min_length=1)
    subject: str
    body: str | None = None
    defaults: list[str] | None = None
    multiple: bool = False
    params: dict[str, object] = {}
    assigned_users: list[HITLUserAnswer] = []
    created_at: datetime
    responded_by_user: HITLUserAnswer | None = None
    responded_at: datetime | None = None
    chosen_options: list[str] | None = None
    params_input: dict[str, object] = {}
    response_received: bool = False


class HITLDetailAnswer(HITLQuestion):
    """`HITLDetail` of Airflow's document."""

    task_instance: TaskInstanceResponse


class HITLDetailHistory(HITLQuestion):
    """`HITLDetailHistory` of Airflow's document."""

    task_instance: TaskInstanceHistoryResponse


class HITLDetailCollection(Answer):
    """`HITLDetailCollection` of Airflow's document."""

    hitl_details: list[HITLDetailAnswer]
    total_entries: int


class HITLDetailResponse(Answer):
    """`HITLDetailResponse` of Airflow's document."""

    responded_by: HITLUserAnswer
    responded_at: datetime
    chosen_options: list[str] = Field(min_length=1)
    params_input: dict[str, object] = {}


class UpdateHITLDetailPayload(Body):
    """`UpdateHITLDetailPayload` of Airflow's document."""

    chosen_options: list[str] = Field(min_length=1)
    params_input: dict[str, object] = {}
