"""The shapes of import errors in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.common.shapes import Answer


class ImportErrorResponse(Answer):
    """`ImportErrorResponse` of Airflow's document."""

    import_error_id: int
    timestamp: datetime
    filename: str
    bundle_name: str | None
    stack_trace: str


class ImportErrorCollectionResponse(Answer):
    """`ImportErrorCollectionResponse` of Airflow's document."""

    import_errors: list[ImportErrorResponse]
    total_entries: int
