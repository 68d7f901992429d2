"""The shapes of dag information in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from gnomon.api.common.shapes import Answer
from gnomon.model.states import DagRunState


class DagWarningType(str, Enum):
    """The values of Airflow."""

    ASSET_CONFLICT = "asset conflict"
    NON_EXISTENT_POOL = "non-existent pool"
    RUNTIME_VARYING_VALUE = "runtime varying value"


class DAGSourceResponse(Answer):
    """`DAGSourceResponse` of Airflow's document."""

    content: str | None
    dag_id: str
    version_number: int | None
    dag_display_name: str


class DagStatsStateResponse(Answer):
    """`DagStatsStateResponse` of Airflow's document."""

    state: DagRunState
    count: int


class DagStatsResponse(Answer):
    """`DagStatsResponse` of Airflow's document."""

    dag_id: str
    dag_display_name: str
    stats: list[DagStatsStateResponse]


class DagStatsCollectionResponse(Answer):
    """`DagStatsCollectionResponse` of Airflow's document."""

    dags: list[DagStatsResponse]
    total_entries: int


class DAGWarningResponse(Answer):
    """`DAGWarningResponse` of Airflow's document."""

    dag_id: str
    warning_type: DagWarningType
    message: str
    timestamp: datetime
    dag_display_name: str


class DAGWarningCollectionResponse(Answer):
    """`DAGWarningCollectionResponse` of Airflow's document."""

    dag_warnings: list[DAGWarningResponse]
    total_entries: int
