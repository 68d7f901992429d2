"""The shapes of pools in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from pydantic import Field

from gnomon.api.common.shapes import Answer, Body
from gnomon.model.storable_text import POOL_NAME_MAX


class PoolResponse(Answer):
    """`PoolResponse` of Airflow's document."""

    name: str
    slots: int = Field(ge=-1)
    description: str | None = None
    include_deferred: bool
    occupied_slots: int
    running_slots: int
    queued_slots: int
    scheduled_slots: int
    open_slots: int
    deferred_slots: int
    team_name: str | None


class PoolCollectionResponse(Answer):
    """`PoolCollectionResponse` of Airflow's document."""

    pools: list[PoolResponse]
    total_entries: int


class PoolBody(Body):
    """`PoolBody` of Airflow's document."""

    name: str = Field(max_length=POOL_NAME_MAX)
    slots: int = Field(ge=-1)
    description: str | None = None
    include_deferred: bool = False
    team_name: str | None = None


class PoolPatchBody(Body):
    """`PoolPatchBody` of Airflow's document."""

    pool: str | None = None
    slots: int | None = None
    description: str | None = None
    include_deferred: bool | None = None
    team_name: str | None = None
