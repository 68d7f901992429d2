"""The shapes of assets in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.storage.store.dag_records.notes import NOTE_MAX


class DagScheduleAssetReference(Answer):
    """`DagScheduleAssetReference` of Airflow's document."""

    dag_id: str
    created_at: datetime
    updated_at: datetime


class TaskInletAssetReference(DagScheduleAssetReference):
    """`TaskInletAssetReference` of Airflow's document."""

    task_id: str


class TaskOutletAssetReference(DagScheduleAssetReference):
    """`TaskOutletAssetReference` of Airflow's document."""

    task_id: str


class AssetAliasResponse(Answer):
    """`AssetAliasResponse` of Airflow's document."""

    id: int
    name: str
    group: str


class AssetAliasCollectionResponse(Answer):
    """`AssetAliasCollectionResponse` of Airflow's document."""

    asset_aliases: list[AssetAliasResponse]
    total_entries: int


class AssetWatcherResponse(Answer):
    """`AssetWatcherResponse` of Airflow's document."""

    name: str
    trigger_id: int
    created_date: datetime


class LastAssetEventResponse(Answer):
    """`LastAssetEventResponse` of Airflow's document."""

    id: Annotated[int, Field(ge=0)] | None = None
    timestamp: datetime | None = None


class AssetResponse(Answer):
    """`AssetResponse` of Airflow's document."""

    id: int
    name: str
    uri: str
    group: str
    extra: dict[str, object] | None = None
    created_at: datetime
    updated_at: datetime
    scheduled_dags: list[DagScheduleAssetReference]
    producing_tasks: list[TaskOutletAssetReference]
    consuming_tasks: list[TaskInletAssetReference]
    aliases: list[AssetAliasResponse]
    watchers: list[AssetWatcherResponse]
    last_asset_event: LastAssetEventResponse | None = None


class AssetCollectionResponse(Answer):
    """`AssetCollectionResponse` of Airflow's document."""

    assets: list[AssetResponse]
    total_entries: int


class DagRunAssetReference(Answer):
    """`DagRunAssetReference` of Airflow's document."""

    run_id: str
    dag_id: str
    logical_date: datetime | None
    start_date: datetime
    end_date: datetime | None
    state: str
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    partition_key: str | None
    triggering: bool


class AssetEventResponse(Answer):
    """`AssetEventResponse` of Airflow's document."""

    id: int
    asset_id: int
    uri: str | None = None
    name: str | None = None
    group: str | None = None
    extra: dict[str, object] | None = None
    source_task_id: str | None = None
    source_dag_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int
    created_dagruns: list[DagRunAssetReference]
    timestamp: datetime
    partition_key: str | None = None


class AssetEventCollectionResponse(Answer):
    """`AssetEventCollectionResponse` of Airflow's document."""

    asset_events: list[AssetEventResponse]
    total_entries: int


class QueuedEventResponse(Answer):
    """`QueuedEventResponse` of Airflow's document."""

    dag_id: str
    asset_id: int
    created_at: datetime
    dag_display_name: str


class QueuedEventCollectionResponse(Answer):
    """`QueuedEventCollectionResponse` of Airflow's document."""

    queued_events: list[QueuedEventResponse]
    total_entries: int


class AssetEventAccessControl(Body):
    """`AssetEventAccessControl` of Airflow's document."""

    consumer_teams: list[str] | None = None
    allow_global: bool = True


class CreateAssetEventsBody(Body):
    """`CreateAssetEventsBody` of Airflow's document."""

    asset_id: int
    partition_key: Annotated[str, Field(max_length=250, pattern=r"\S")] | None = None
    extra: dict[str, object] = {}
    access_control: AssetEventAccessControl | None = None


class MaterializeAssetBody(Body):
    """`MaterializeAssetBody` of Airflow's document."""

    dag_run_id: str | None = None
    data_interval_start: datetime | None = None
    data_interval_end: datetime | None = None
    logical_date: datetime | None = None
    run_after: datetime | None = None
    conf: dict[str, object] | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)
    partition_key: str | None = None
