"""How many faults of one body are described: a body of 1 MiB may have 500,000, whose description takes seconds and hundreds of megabytes."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import PydanticCustomError

FAULTS_MAX = 100
FAULT_TEXT_MAX = 1_000
"""Characters of each text of a fault: it may repeat a name or a value of the request."""


def bound_faults(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Validate the value; more than FAULTS_MAX faults become one that has their number. Raises ValidationError, PydanticCustomError."""
    try:
        return validate(value)
    except ValidationError as error:
        count = error.error_count()
        if count <= FAULTS_MAX:
            raise
    raise PydanticCustomError(
        "too_many_faults",
        "{count} values do not fit; at most {most} are described, so send a smaller request to see which",
        {"count": count, "most": FAULTS_MAX},
    )


def describe_fault(fault: Any) -> dict[str, Any]:
    """The place, the sentence and the kind of a fault. The value itself is left out: it may be a password."""
    place = [part[:FAULT_TEXT_MAX] if isinstance(part, str) else part for part in fault["loc"]]
    return {"loc": place, "msg": str(fault["msg"])[:FAULT_TEXT_MAX], "type": str(fault["type"])}
