"""The shapes of versions in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from gnomon.api.common.shapes import Answer


class DagVersionResponse(Answer):
    """`DagVersionResponse` of Airflow's document."""

    id: UUID
    version_number: int
    dag_id: str
    bundle_name: str | None
    bundle_version: str | None
    created_at: datetime
    dag_display_name: str
    bundle_url: str | None


class DAGVersionCollectionResponse(Answer):
    """`DAGVersionCollectionResponse` of Airflow's document."""

    dag_versions: list[DagVersionResponse]
    total_entries: int
