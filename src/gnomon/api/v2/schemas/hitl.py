"""The shapes of hitl in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.v2.schemas.base import Answer
from gnomon.api.v2.schemas.task_instances import TaskInstanceHistoryResponse, TaskInstanceResponse


class HITLUser(Answer):
    """`HITLUser` of Airflow's document."""

    id: str
    name: str


class HITLDetail(Answer):
    """`HITLDetail` of Airflow's document."""

    options: list[str]
    subject: str
    body: str | None = None
    defaults: list[str] | None = None
    multiple: bool = False
    params: dict[str, object] = {}
    assigned_users: list[HITLUser] = []
    created_at: datetime
    responded_by_user: HITLUser | None = None
    responded_at: datetime | None = None
    chosen_options: list[str] | None = None
    params_input: dict[str, object] = {}
    response_received: bool = False
    task_instance: TaskInstanceResponse


class HITLDetailCollection(Answer):
    """`HITLDetailCollection` of Airflow's document."""

    hitl_details: list[HITLDetail]
    total_entries: int


class HITLDetailResponse(Answer):
    """`HITLDetailResponse` of Airflow's document."""

    responded_by: HITLUser
    responded_at: datetime
    chosen_options: list[str]
    params_input: dict[str, object] = {}


class UpdateHITLDetailPayload(Answer):
    """`UpdateHITLDetailPayload` of Airflow's document."""

    chosen_options: list[str]
    params_input: dict[str, object] = {}


class HITLDetailHistory(Answer):
    """`HITLDetailHistory` of Airflow's document."""

    options: list[str]
    subject: str
    body: str | None = None
    defaults: list[str] | None = None
    multiple: bool = False
    params: dict[str, object] = {}
    assigned_users: list[HITLUser] = []
    created_at: datetime
    responded_by_user: HITLUser | None = None
    responded_at: datetime | None = None
    chosen_options: list[str] | None = None
    params_input: dict[str, object] = {}
    response_received: bool = False
    task_instance: TaskInstanceHistoryResponse
