"""The elements of a stored list, tuple or dict, as typed JSON, without decoding them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.model.serde.stored_objects import CLASSNAME
from gnomon.model.serde.typed_json import TYPE, VALUE


@dataclass(frozen=True, slots=True)
class SplitContainer:
    """The parts of a container: `kind` is "list", "tuple" or "dict"; the element of a dict is the tuple of key and value."""

    kind: str
    elements: list[bytes]


def split_container(text: str) -> SplitContainer | None:
    """Split the typed JSON text of a list, tuple or dict into the texts of its elements; None for any other value."""
    if not text.startswith(("[", "{")):
        return None
    try:
        return SplitContainer("list", _split_list(text)) if text[0] == "[" else _split_object(text)
    except msgspec.DecodeError:  # an escaped lone surrogate, which only the standard library reads; or no JSON
        return _split_value(text)


def _split_object(text: str) -> SplitContainer | None:
    members = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    if CLASSNAME in members:
        return None
    if TYPE not in members:
        return SplitContainer(
            "dict", [_join_pair(json.dumps(name).encode(), bytes(value)) for name, value in members.items()]
        )
    kind = msgspec.json.decode(members[TYPE])
    if kind == "tuple":
        return SplitContainer("tuple", _split_list(members[VALUE]))
    if kind != "dict":
        return None
    pairs = msgspec.json.decode(members[VALUE], type=list[tuple[msgspec.Raw, msgspec.Raw]])
    return SplitContainer("dict", [_join_pair(bytes(key), bytes(value)) for key, value in pairs])


def _split_list(text: str | msgspec.Raw) -> list[bytes]:
    return [bytes(element) for element in msgspec.json.decode(text, type=list[msgspec.Raw])]


def _split_value(text: str) -> SplitContainer | None:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return None
    if isinstance(value, list):
        return SplitContainer("list", [json.dumps(element).encode() for element in value])
    if CLASSNAME in value:
        return None
    if TYPE not in value:
        return SplitContainer("dict", _join_pairs(value.items()))
    if value[TYPE] == "tuple":
        return SplitContainer("tuple", [json.dumps(element).encode() for element in value[VALUE]])
    return SplitContainer("dict", _join_pairs(value[VALUE])) if value[TYPE] == "dict" else None


def _join_pairs(pairs: Iterable[tuple[Any, Any]]) -> list[bytes]:
    return [_join_pair(json.dumps(key).encode(), json.dumps(value).encode()) for key, value in pairs]


def _join_pair(key: bytes, value: bytes) -> bytes:
    return b'{"%s": "tuple", "%s": [%s, %s]}' % (TYPE.encode(), VALUE.encode(), key, value)
