"""The shapes of xcoms in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body


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
    total_entries: int = Field(
        description="A lower bound in two cases: XComs are counted up to 1,000 behind the page; and a search of all DAGs by filters that no index serves counts "
        "those that it has found among the first 20,000 XComs."
    )


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
