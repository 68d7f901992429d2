"""The shapes of connections in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.changes.actions.admin_changes import CONNECTION_ID_MAX


class ConnectionResponse(Answer):
    """`ConnectionResponse` of Airflow's document."""

    connection_id: str
    conn_type: str
    description: str | None
    host: str | None
    login: str | None
    schema_: str | None = Field(alias="schema")
    port: int | None
    password: str | None
    extra: str | None
    team_name: str | None


class ConnectionCollectionResponse(Answer):
    """`ConnectionCollectionResponse` of Airflow's document."""

    connections: list[ConnectionResponse]
    total_entries: int


class ConnectionTestResponse(Answer):
    """`ConnectionTestResponse` of Airflow's document."""

    status: bool
    message: str


class ConnectionBody(Body):
    """`ConnectionBody` of Airflow's document."""

    connection_id: str = Field(max_length=CONNECTION_ID_MAX)
    conn_type: str
    description: str | None = None
    host: str | None = None
    login: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    port: int | None = None
    password: str | None = None
    extra: str | None = None
    team_name: str | None = None
