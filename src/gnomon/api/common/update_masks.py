"""`update_mask`: which fields of a body a PATCH changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from gnomon.api.common.refusals import Refusal
from gnomon.model.sentences import say


def read_changes(body: BaseModel, update_mask: Sequence[str] | None) -> dict[str, Any]:
    """The fields that the client gave, by name; with a mask only those in it. Raises Refusal (400) for a name that the body does not have."""
    changes = {name: getattr(body, name) for name in body.model_fields_set}
    if update_mask is None:
        return changes
    by_name = {field.alias or name: name for name, field in type(body).model_fields.items()}
    unknown = sorted(set(update_mask) - set(by_name))
    if unknown:
        raise Refusal(
            400,
            say(
                "mask_has_unknown_fields",
                fault=", ".join(unknown),
                more=say("fields_of_mask", names=", ".join(sorted(by_name))),
            ),
        )
    return {by_name[name]: getattr(body, by_name[name]) for name in update_mask}
