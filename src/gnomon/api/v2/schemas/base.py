"""What all shapes have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """The answer to a request."""

    model_config = ConfigDict(populate_by_name=True)


class Body(BaseModel):
    """The body of a request; a key that is not among its fields is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
