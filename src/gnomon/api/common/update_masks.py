"""`update_mask`: which fields of a body a PATCH changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel


def read_changes(body: BaseModel, update_mask: Sequence[str] | None) -> dict[str, Any]:
    """The fields that the client gave, by name; with a mask only those in it. Raises HTTPException (400) for a name that the body does not have."""
    changes = {name: getattr(body, name) for name in body.model_fields_set}
    if update_mask is None:
        return changes
    by_name = {field.alias or name: name for name, field in type(body).model_fields.items()}
    unknown = sorted(set(update_mask) - set(by_name))
    if unknown:
        raise HTTPException(
            400, f"update_mask has unknown fields: {', '.join(unknown)}; it can have: {', '.join(sorted(by_name))}"
        )
    return {by_name[name]: getattr(body, by_name[name]) for name in update_mask}
