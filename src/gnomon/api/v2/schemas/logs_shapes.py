"""The shapes of logs in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import WithJsonSchema

from gnomon.api.common.shapes import Answer


class StructuredLogMessage(Answer, extra="allow"):
    """`StructuredLogMessage` of Airflow's document."""

    timestamp: Annotated[datetime | None, WithJsonSchema({"type": "string", "format": "date-time"})] = None
    event: str


class TaskInstancesLogResponse(Answer):
    """`TaskInstancesLogResponse` of Airflow's document."""

    content: list[StructuredLogMessage] | list[str]
    continuation_token: str | None
