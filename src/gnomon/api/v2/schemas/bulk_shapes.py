"""The shapes of bulk changes in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from gnomon.api.common.shapes import Answer, Body

T = TypeVar("T", bound=BaseModel)


class BulkActionOnExistence(str, Enum):
    """The values of Airflow."""

    FAIL = "fail"
    SKIP = "skip"
    OVERWRITE = "overwrite"


class BulkActionNotOnExistence(str, Enum):
    """The values of Airflow."""

    FAIL = "fail"
    SKIP = "skip"


class BulkCreateAction(Body, Generic[T]):
    """`BulkCreateAction` of Airflow's document."""

    action: Literal["create"]
    entities: list[T]
    action_on_existence: BulkActionOnExistence = BulkActionOnExistence.FAIL


class BulkUpdateAction(Body, Generic[T]):
    """`BulkUpdateAction` of Airflow's document."""

    action: Literal["update"]
    entities: list[T]
    update_mask: list[str] | None = None
    action_on_non_existence: BulkActionNotOnExistence = BulkActionNotOnExistence.FAIL


class BulkDeleteAction(Body, Generic[T]):
    """`BulkDeleteAction` of Airflow's document."""

    action: Literal["delete"]
    entities: list[str | T]
    action_on_non_existence: BulkActionNotOnExistence = BulkActionNotOnExistence.FAIL


class BulkBody(Body, Generic[T]):
    """`BulkBody` of Airflow's document."""

    actions: list[
        Annotated[BulkCreateAction[T] | BulkUpdateAction[T] | BulkDeleteAction[T], Field(discriminator="action")]
    ]


class BulkActionResponse(Answer):
    """`BulkActionResponse` of Airflow's document."""

    success: list[str] = []
    errors: list[dict[str, object]] = []


class BulkResponse(Answer):
    """`BulkResponse` of Airflow's document."""

    create: BulkActionResponse | None = None
    update: BulkActionResponse | None = None
    delete: BulkActionResponse | None = None
