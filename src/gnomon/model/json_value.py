"""Which values are JSON as every reader of Gnomon takes it: no NaN, numbers of 64 bits, no lone surrogates, a bounded depth. Imports nothing that costs a DAG file time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gnomon.model.storable_text import escape_unstorable, find_unstorable

DEPTH_MAX = 256
"""The deepest nesting; every writer of JSON takes it."""
SHOWN_MAX = 120
"""So many characters of a place or a key stand in a message."""


def find_json_fault(value: object, place: str = "", depth: int = 0) -> str | None:
    """Why the value cannot be written as JSON, with its place; None: it can."""
    if value is None or value is True or value is False:
        return None
    if isinstance(value, str):
        fault = find_unstorable(value, stores_nul=True)
        return None if fault is None else f"{place or 'it'} contains {fault}"
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**64 else f"{place or 'it'} is a number of more than 64 bits"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{place or 'it'} is {value}, which JSON does not have"
    if depth >= DEPTH_MAX:
        return f"it is nested deeper than {DEPTH_MAX} levels"
    if isinstance(value, Mapping):
        return _find_fault_in_object(value, place, depth)
    if isinstance(value, list | tuple):
        return next(
            (
                fault
                for number, item in enumerate(value)
                if (fault := find_json_fault(item, f"{place}[{number}]"[:SHOWN_MAX], depth + 1)) is not None
            ),
            None,
        )
    return f"{place or 'it'} is a {type(value).__name__}"


def to_plain_json(value: object) -> Any:
    """The value as JSON stores it: tuples as lists, numbers as keys as texts. Raises ValueError, with the place, for a value that JSON does not have."""
    import json  # only values of authors need it

    try:
        plain = json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(find_json_fault(value) or str(error)) from None
    if (fault := find_json_fault(plain)) is not None:
        raise ValueError(escape_unstorable(fault))
    return plain


def _find_fault_in_object(value: Mapping[object, object], place: str, depth: int) -> str | None:
    for key, item in value.items():
        if not isinstance(key, str):
            return f"{place or 'it'} has the key {str(key)[:SHOWN_MAX]!r}, which is not text"
        if (fault := find_json_fault(key, f"{place or 'its'} key")) is not None:
            return fault
        if (fault := find_json_fault(item, f"{place}.{key}"[:SHOWN_MAX].lstrip("."), depth + 1)) is not None:
            return fault
    return None
