"""What the task and asset state stores accept: keys, JSON values, and the largest size."""

from __future__ import annotations

import json
import math
from typing import Any, Literal

import msgspec

STATE_VALUE_MAX_BYTES = 16 * 1024 * 1024
"""The largest value, as bytes of its JSON text. `[state_store] max_value_storage_bytes` only warns."""
STATE_KEY_MAX = 512
"""The longest key, in characters."""


class StateWriter(msgspec.Struct, frozen=True, omit_defaults=True):
    """What wrote the state of an asset."""

    kind: Literal["task", "watcher", "api", "cli"]
    by: str = ""
    """Of the API and of commands: the user, for example `api:ann`."""
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int | None = None

    def describe(self) -> str:
        """The writer in words."""
        if self.kind == "task":
            return f"task {self.dag_id}.{self.task_id} of run {self.run_id}"
        return "trigger" if self.kind == "watcher" else self.by


class InvalidStateValue(ValueError):
    """A key or a value that no state store can hold; the text says which, why, and what to store instead."""


def check_state_key(store: str, key: object) -> str:
    """The key. Raises InvalidStateValue; `store` is the subject of the message, for example `task_state_store`."""
    if not isinstance(key, str) or not key or len(key) > STATE_KEY_MAX or not key.isprintable():
        shown = (
            repr(key) if not isinstance(key, str) or len(key) < STATE_KEY_MAX else f"a text of {len(key)} characters"
        )
        raise InvalidStateValue(f"{store}: a key is one line of text with 1 to {STATE_KEY_MAX} characters, not {shown}")
    return key


def encode_state_value(store: str, key: str, value: Any) -> str:
    """The JSON text of the value. Raises InvalidStateValue for None, a value that is not JSON, and one above the limit."""
    if value is None:
        raise InvalidStateValue(
            f"{store}: the value under {key!r} cannot be None; to remove the key, call delete({key!r})"
        )
    fault = _find_fault(value, "")
    if fault is not None:
        raise InvalidStateValue(
            f"{store}: the value under {key!r} is not JSON: {fault}. Store text, numbers, booleans, lists and dicts with text as keys; "
            "a date as value.isoformat()"
        )
    text = json.dumps(value, separators=(",", ":"))
    if len(text) > STATE_VALUE_MAX_BYTES:
        raise InvalidStateValue(
            f"{store}: the value under {key!r} takes {len(text)} bytes, the limit is {STATE_VALUE_MAX_BYTES} bytes: store it elsewhere and keep its address here"
        )
    return text


def _find_fault(value: Any, path: str) -> str | None:
    """Why the value is not JSON, with the path to the fault; None for JSON."""
    if value is None or isinstance(value, bool | int | str):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"value{path} is {value}"
    if isinstance(value, list | tuple):
        return next(
            (fault for i, item in enumerate(value) if (fault := _find_fault(item, f"{path}[{i}]")) is not None), None
        )
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                return f"value{path} has the key {key!r}"
            fault = _find_fault(item, f"{path}[{key!r}]")
            if fault is not None:
                return fault
        return None
    return f"value{path} is a {type(value).__name__}"
