"""Stored values as people read them. No object is made: everything is taken from the JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gnomon.model.ids import DAG_FILE_MODULE
from gnomon.model.serde.stored_objects import CLASSNAME, DATA, VERSION, is_stored_object
from gnomon.model.serde.typed_json import TYPE, VALUE

SHOWN_MAX = 200
"""A longer text inside an object, such as the bytes of a data frame, is shown as its length."""
_DAG_FILE_PREFIX = re.compile(rf"{DAG_FILE_MODULE}[0-9a-f]{{16}}_")


def describe_stored(value: object) -> object:
    """The JSON value with a text for each part that JSON has no form for: `orders.Order@version=0(number=5)` for an object, `(1,2)` for a tuple.

    As Airflow's API shows such values; moments, numbers, bytes and names of other types stand as Python writes them. A value that is nested too deeply
    for this is returned as it is.
    """
    try:
        return _describe(value)
    except RecursionError:
        return value


def _describe(value: object) -> object:
    if isinstance(value, list):
        return [_describe(item) for item in value]
    if not isinstance(value, dict):
        return value
    if TYPE in value and VALUE in value:
        return _describe_type(value[TYPE], value[VALUE])
    if is_stored_object(value):
        return _describe_object(value[CLASSNAME], value[VERSION], value.get(DATA))
    return {key: _describe(item) for key, item in value.items()}


def _describe_type(kind: object, body: Any) -> object:
    try:
        if kind == "dict":
            return {str(_describe(key)): _describe(item) for key, item in body}
        if kind in ("tuple", "set", "frozenset"):
            return _join(body)
        return _TYPES[kind](body) if kind in _TYPES else str(_describe(body))
    except (TypeError, ValueError, LookupError):  # not what Gnomon writes
        return str(body)


def _describe_object(classname: str, version: object, data: object) -> str:
    if classname in ("builtins.tuple", "builtins.set", "builtins.frozenset") and isinstance(data, list):
        return _join(data)
    shown = _DAG_FILE_PREFIX.sub("", classname)
    return f"{shown}@version={version}({_describe_data(data)})"


def _describe_data(data: object) -> str:
    if isinstance(data, dict) and TYPE not in data and not is_stored_object(data):
        return ", ".join(f"{key}={_describe_field(item)}" for key, item in data.items())
    if isinstance(data, list):
        return ",".join(map(_describe_field, data))
    return "" if data is None else _describe_text(data) if isinstance(data, str) else str(_describe(data))


def _describe_field(value: object) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) <= SHOWN_MAX else _describe_text(value)
    return str(_describe(value))


def _describe_text(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{len(text):,} characters"


def _join(items: list[object]) -> str:
    return f"({','.join(str(_describe(item)) for item in items)})"


def _describe_moment(body: list[Any]) -> str:
    text, zone = body[0], body[1]
    return (
        str(text) if zone is None else f"{text} {zone}" if isinstance(zone, str) else f"{text} {_describe_offset(zone)}"
    )


def _describe_offset(seconds: float) -> str:
    minutes = round(abs(seconds) / 60)
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def _describe_span(body: list[Any]) -> str:
    days, seconds, microseconds = body
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}" + (
        f".{microseconds:06}" if microseconds else ""
    )
    return clock if not days else f"{days} day{'' if abs(days) == 1 else 's'}, {clock}"


_TYPES: dict[object, Callable[[Any], str]] = {
    "bytes": lambda body: f"bytes({_describe_text(body)})",
    "bytearray": lambda body: f"bytearray({_describe_text(body)})",
    "datetime": _describe_moment,
    "pendulum.DateTime": _describe_moment,
    "time": _describe_moment,
    "timedelta": _describe_span,
    "timezone": lambda body: body[1] if len(body) > 1 else f"UTC{_describe_offset(body[0])}",
}
