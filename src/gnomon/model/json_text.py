"""Which values and texts are JSON as every reader of Gnomon takes it: no NaN, numbers of 64 bits, no lone surrogates in keys, a bounded depth."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import NoReturn

import msgspec

from gnomon.model.storable_text import escape_unstorable, find_unstorable

DEPTH_MAX = 256
"""The deepest nesting; every writer of JSON takes it."""
_skip_decoder = msgspec.json.Decoder(msgspec.Raw)
_SHOWN_MAX = 120


def find_json_text_fault(text: str) -> str | None:
    """Why the text is not JSON; None: it is. A lone surrogate may stand in it as an escape."""
    try:
        _skip_decoder.decode(text)
    except (ValueError, RecursionError):
        return _find_fault_slowly(text)
    return None


def _find_fault_slowly(text: str) -> str | None:
    """As the standard library reads it, which takes an escaped lone surrogate."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return str(error)[:_SHOWN_MAX]
    return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def read_shown_json(text: str) -> object:
    """A stored JSON text as a value to show: lone surrogates as escapes, which no answer could carry; a text that is not JSON as that text."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return escape_unstorable(text)
    return escape_surrogates(value) if "\\u" in text else value


def escape_surrogates(value: object) -> object:
    """The JSON value with lone surrogates as escapes."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [escape_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {escape_surrogates(key): escape_surrogates(item) for key, item in value.items()}
    return value


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
        return next((fault for number, item in enumerate(value) if (fault := find_json_fault(item, f"{place}[{number}]"[:_SHOWN_MAX], depth + 1)) is not None), None)
    return f"{place or 'it'} is a {type(value).__name__}"


def _find_fault_in_object(value: Mapping[object, object], place: str, depth: int) -> str | None:
    for key, item in value.items():
        if not isinstance(key, str):
            return f"{place or 'it'} has the key {str(key)[:_SHOWN_MAX]!r}, which is not text"
        if (fault := find_json_fault(key, f"{place or 'its'} key")) is not None:
            return fault
        if (fault := find_json_fault(item, f"{place}.{key}"[:_SHOWN_MAX].lstrip("."), depth + 1)) is not None:
            return fault
    return None
