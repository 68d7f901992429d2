"""The shapes of xcoms in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.v2.schemas.base import Answer, Body


class XComResponse(Answer):
    """`XComResponse` of Airflow's document."""

    key: str
    timestamp: datetime
    logical_date: datetime | None
    map_index: int
    task_id: str
    dag_id: str
    run_id: str
    dag_display_name: str
    task_display_name: str
    run_after: datetime


class XComCollectionResponse(Answer):
    """`XComCollectionResponse` of Airflow's document."""

    xcom_entries: list[XComResponse]
    total_entries: int


class XComResponseNative(Answer):
    """`XComResponseNative` of Airflow's document."""

    key: str
    timestamp: datetime
    logical_date: datetime | None
    map_index: int
    task_id: str
    dag_id: str
    run_id: str
    dag_display_name: str
    task_display_name: str
    run_after: datetime
    value: object


class XComResponseString(Answer):
    """`XComResponseString` of Airflow's document."""

    key: str
    timestamp: datetime
    logical_date: datetime | None
    map_index: int
    task_id: str
    dag_id: str
    run_id: str
    dag_display_name: str
    task_display_name: str
    run_after: datetime
    value: str | None


class XComCreateBody(Body):
    """`XComCreateBody` of Airflow's document."""

    key: str
    value: object
    map_index: int = -1


class XComUpdateBody(Body):
    """`XComUpdateBody` of Airflow's document."""

    value: object
    map_index: int = -1
