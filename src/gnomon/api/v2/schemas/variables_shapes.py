"""The shapes of variables in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from pydantic import Field, JsonValue

from gnomon.api.common.shapes import Answer, Body
from gnomon.changes.actions.admin_changes import VARIABLE_KEY_MAX


class VariableResponse(Answer):
    """`VariableResponse` of Airflow's document."""

    key: str
    value: str | None = None
    description: str | None
    is_encrypted: bool
    team_name: str | None


class VariableCollectionResponse(Answer):
    """`VariableCollectionResponse` of Airflow's document."""

    variables: list[VariableResponse]
    total_entries: int


class VariableBody(Body):
    """`VariableBody` of Airflow's document."""

    key: str = Field(max_length=VARIABLE_KEY_MAX)
    value: JsonValue
    description: str | None = None
    team_name: str | None = None
