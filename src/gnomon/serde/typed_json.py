"""Values as JSON text and back, with their types.

Values that JSON can express are plain JSON. Every other value is an object with exactly the keys `__type` and `__value`; a
dict with the key `__type`, or with keys that are not text, is written as such an object too. So a reader without Gnomon can
read the common case, and `loads(dumps(x)) == x` for every value that `dumps` takes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import cast

from gnomon.errors.authoring import DeserializationError, NotSerializable
from gnomon.serde.types import DECODERS, find_encoder

TYPE = "__type"
VALUE = "__value"
DEPTH_MAX = 200
"""The deepest nesting of containers; deeper values, and circular values, are refused."""


_decoder = json.JSONDecoder()


def dumps(value: object, *, what: str = "The value") -> str:
    """The value as typed JSON text that UTF-8 can encode. `what`: its name in errors, for example "XCom 'rows' of task 'load'".

    Raises NotSerializable, with the path inside the value, when a part of the value has no JSON form.
    """
    encoded = _encode(value, what, "", 0)
    text = json.dumps(encoded, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, as in the name of a file that is not UTF-8
        return json.dumps(encoded, separators=(", ", ": "), allow_nan=False)
    return text


def loads(text: str) -> object:
    """The value of typed JSON text; raises DeserializationError when the text is not typed JSON."""
    try:
        return _decode(_parse(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DeserializationError(f"The stored value is not typed JSON: {error}") from error


def _parse(text: str) -> object:
    """As `json.loads`, with fewer calls for a text without white space around it, as `dumps` writes it."""
    try:
        value, end = _decoder.raw_decode(text)
    except ValueError:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def _encode(value: object, what: str, path: str, depth: int) -> object:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value) if type(value) is not str else value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {TYPE: "float", VALUE: repr(float(value))}
    if depth >= DEPTH_MAX:
        raise NotSerializable(what, path[:80] + "…", f"a value nested deeper than {DEPTH_MAX} levels",
                              "Is it circular? Flatten it, or store it elsewhere and pass its address.")
    if isinstance(value, dict):
        return _encode_dict(value, what, path, depth)
    if isinstance(value, list):
        return [_encode(item, what, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, tuple):
        items = [_encode(item, what, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
        return {TYPE: "tuple", VALUE: items}
    if isinstance(value, set | frozenset):
        name = "set" if isinstance(value, set) else "frozenset"
        items = [_encode(item, what, f"{path}{{…}}", depth + 1) for item in value]
        return {TYPE: name, VALUE: sorted(items, key=lambda item: json.dumps(item, sort_keys=True))}
    if getattr(type(value), "is_stored_as_list", False):  # a sequence of ours that reads its elements when they are used
        return [_encode(item, what, f"{path}[{index}]", depth + 1) for index, item in enumerate(cast("Iterable[object]", value))]
    encoder = find_encoder(value)
    if encoder is None:
        raise NotSerializable(what, path, f"a {_class_name(value)}", _remedy(value))
    name, encode = encoder
    return {TYPE: name, VALUE: encode(value)}


def _encode_dict(value: dict[object, object], what: str, path: str, depth: int) -> object:
    if all(type(key) is str for key in value) and TYPE not in value:
        return {cast(str, key): _encode(item, what, f"{path}[{key!r}]", depth + 1) for key, item in value.items()}
    pairs = [
        [_encode(key, what, f"{path}<key {key!r}>", depth + 1), _encode(item, what, f"{path}[{key!r}]", depth + 1)]
        for key, item in value.items()
    ]
    return {TYPE: "dict", VALUE: pairs}


def _decode(value: object) -> object:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if TYPE not in value:
        return {key: _decode(item) for key, item in value.items()}
    kind, body = value[TYPE], value[VALUE]
    if kind == "dict":
        return {_decode(key): _decode(item) for key, item in body}
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](_decode(item) for item in body)
    if kind not in DECODERS:
        raise ValueError(f"unknown type {kind!r}; it was written by a newer version")
    return DECODERS[kind](body)


_CONTAINERS = {"tuple": tuple, "set": set, "frozenset": frozenset}


def _class_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _remedy(value: object) -> str:
    for mark, remedy in _REMEDIES:
        if hasattr(value, mark):
            return remedy
    return "Pass plain data (dict, list, str, numbers, datetime, ...), or store it elsewhere and pass its address."


_REMEDIES = (
    ("__dataclass_fields__", "Return dataclasses.asdict(value) instead."),
    ("__attrs_attrs__", "Return attrs.asdict(value) instead."),
    ("model_dump", "Return value.model_dump() instead."),
    ("to_dict", "Return value.to_dict() instead, or store it elsewhere and pass its address."),
    ("tolist", "Return value.tolist() instead."),
    ("cr_frame", "It is the result of an `async def` that was not awaited: run it with asyncio.run(...)."),
    ("send", "Return list(value) instead of a generator."),
)
