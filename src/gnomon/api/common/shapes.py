"""What all shapes have in common."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidatorFunctionWrapHandler, model_validator

from gnomon.api.common.fault_limits import bound_faults

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DEPTH_MAX = 200
"""How deeply a value of a body may be nested. pydantic writes at most 255 levels; an answer has some of its own around the value."""

_STORED_AS_JSON = "value"
"""The field of XComs, Variables and states that may be any text: it is stored as JSON, or encrypted."""


class Answer(BaseModel):
    """The answer to a request."""

    model_config = ConfigDict(populate_by_name=True)


def copy_fields(row: DataclassInstance) -> dict[str, Any]:
    """The fields of a dataclass by name. `asdict` would also copy what the values are made of: a whole tree for each sentence."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


class Body(BaseModel):
    """The body of a request; a key that is not among its fields is refused, and so is a value that no answer could show."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="wrap")
    @classmethod
    def _bound_faults(cls, data: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        return bound_faults(data, validate)

    @model_validator(mode="before")
    @classmethod
    def _check_depth(cls, data: Any) -> Any:
        if not has_depth_at_most(data, DEPTH_MAX):
            raise ValueError(f"lists and objects are nested more than {DEPTH_MAX} levels deep")
        if (
            isinstance(data, dict)
            and (name := next((name for name, value in data.items() if has_number_without_json(value)), None))
            is not None
        ):
            raise ValueError(f"{name} contains NaN or Infinity, which JSON does not have")
        return data

    @model_validator(mode="before")
    @classmethod
    def _check_texts(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for name, value in data.items():
                if name != _STORED_AS_JSON and any(
                    isinstance(text, str) and "\x00" in text
                    for text in (value if isinstance(value, list) else (value,))
                ):
                    raise ValueError(f"{name} contains NUL, which no text of the database can contain")
        return data


def has_number_without_json(value: object) -> bool:
    """Whether a number in the value is none that JSON has; Python's reader takes NaN and Infinity. For a value of a bounded depth."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict | list):
        return any(has_number_without_json(inner) for inner in (value.values() if isinstance(value, dict) else value))
    return False


def has_depth_at_most(value: object, most: int) -> bool:
    """Whether lists and objects of the value are nested at most so many levels deep. Walks level by level, so that no depth ends it."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return not level
