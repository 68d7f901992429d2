"""Which texts are JSON as every reader of Gnomon takes it, and how a stored one is shown."""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

from gnomon.model.json_value import SHOWN_MAX
from gnomon.model.storable_text import escape_unstorable

_skip_decoder = msgspec.json.Decoder(msgspec.Raw)


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
        return str(error)[:SHOWN_MAX]
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
