"""The shapes of the task and asset state stores in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Literal

from pydantic import AwareDatetime, JsonValue

from gnomon.api.common.shapes import Answer, Body


class TaskStateStoreResponse(Answer):
    """`TaskStateStoreResponse` of Airflow's document."""

    key: str
    value: JsonValue
    updated_at: datetime
    expires_at: datetime | None


class TaskStateStoreCollectionResponse(Answer):
    """`TaskStateStoreCollectionResponse` of Airflow's document."""

    task_state_store: list[TaskStateStoreResponse]
    total_entries: int


class TaskStateStorePatchBody(Body):
    """`TaskStateStorePatchBody` of Airflow's document."""

    value: JsonValue


class TaskStateStoreBody(Body):
    """`TaskStateStoreBody` of Airflow's document."""

    value: JsonValue
    expires_at: AwareDatetime | Literal["default"] | None = "default"


class AssetStateStoreWriterKind(str, Enum):
    """The values of Airflow."""

    TASK = "task"
    WATCHER = "watcher"
    API = "api"


class AssetStateStoreLastUpdatedBy(Answer):
    """`AssetStateStoreLastUpdatedBy` of Airflow's document."""

    kind: AssetStateStoreWriterKind
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int | None = None


class AssetStateStoreResponse(Answer):
    """`AssetStateStoreResponse` of Airflow's document."""

    key: str
    value: JsonValue
    updated_at: datetime
    last_updated_by: AssetStateStoreLastUpdatedBy | None = None


class AssetStateStoreCollectionResponse(Answer):
    """`AssetStateStoreCollectionResponse` of Airflow's document."""

    asset_state_store: list[AssetStateStoreResponse]
    total_entries: int


class AssetStateStoreBody(Body):
    """`AssetStateStoreBody` of Airflow's document."""

    value: JsonValue
