"""Values as JSON text and back, with their types.

Values that JSON can express are plain JSON. Every other value is an object with exactly the keys `__type` and `__value`, or with `__classname__`,
`__version__` and `__data__` (`stored_objects.py`); a dict with the key `__type` or `__classname__`, or with keys that are not text, is written as an
object of the first kind too. So a reader without Gnomon can read the common case, and `loads(dumps(x)) == x` for every value that `dumps` takes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import NamedTuple, cast

from gnomon.model.errors.authoring import DeserializationError, NotSerializable
from gnomon.model.serde.stored_objects import (
    CLASSNAME,
    DATA,
    VERSION,
    DescribeObject,
    MakeObject,
    NoStoredForm,
    StoredObject,
    is_stored_object,
)
from gnomon.model.serde.types import DECODERS, find_encoder

TYPE = "__type"
VALUE = "__value"
DEPTH_MAX = 200
"""The deepest nesting of containers; deeper values, and circular values, are refused."""
_MARKS = (TYPE, CLASSNAME, "\\u005")
"""A text without these holds plain JSON only; the last may be an escaped underscore."""

_decoder = json.JSONDecoder()


class _Writing(NamedTuple):
    """What all parts of one value share: its name in errors, and the function that knows objects of classes."""

    what: str
    describe_object: DescribeObject | None


def dumps(value: object, *, what: str = "The value", describe_object: DescribeObject | None = None) -> str:
    """The value as typed JSON text that UTF-8 can encode. `what`: its name in errors, for example "XCom 'rows' of task 'load'".

    `describe_object` is asked about values that are not of the types of Python that are named in `types.py`. Raises NotSerializable, with the path
    inside the value, when a part of the value has no JSON form.
    """
    encoded = _encode(value, _Writing(what, describe_object), "", 0)
    text = json.dumps(encoded, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, as in the name of a file that is not UTF-8
        return json.dumps(encoded, separators=(", ", ": "), allow_nan=False)
    return text


def loads(text: str, *, make_object: MakeObject | None = None) -> object:
    """The value of typed JSON text. `make_object` makes the objects of classes; without it they are refused.

    Raises DeserializationError when the text is not typed JSON, or an object cannot be made.
    """
    try:
        value = _parse(text)
        return _decode(value, make_object) if any(mark in text for mark in _MARKS) else value
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DeserializationError(f"The stored value is not typed JSON: {error}") from error


def _parse(text: str) -> object:
    """As `json.loads`, with fewer calls for a text without white space around it, as `dumps` writes it."""
    try:
        value, end = _decoder.raw_decode(text)
    except ValueError:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def _encode(value: object, writing: _Writing, path: str, depth: int) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return _encode_float(cast(float, value))
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if depth >= DEPTH_MAX:
        raise NotSerializable(
            writing.what,
            path[:80] + "…",
            f"a value nested deeper than {DEPTH_MAX} levels",
            "Is it circular? Flatten it, or store it elsewhere and pass its address.",
        )
    if isinstance(value, dict):
        return _encode_dict(value, writing, path, depth)
    if isinstance(value, list):
        return _encode_items(value, writing, path, depth)
    if isinstance(value, tuple):
        return {TYPE: "tuple", VALUE: _encode_items(value, writing, path, depth)}
    if isinstance(value, set | frozenset):
        name = "set" if isinstance(value, set) else "frozenset"
        items = [_encode(item, writing, f"{path}{{…}}", depth + 1) for item in value]
        return {TYPE: name, VALUE: sorted(items, key=lambda item: json.dumps(item, sort_keys=True))}
    return _encode_other(value, writing, path, depth)


_PLAIN = frozenset({str, int, bool, type(None)})


def _encode_float(value: float) -> object:
    return value if math.isfinite(value) else {TYPE: "float", VALUE: repr(value)}


def _encode_items(items: Iterable[object], writing: _Writing, path: str, depth: int) -> list[object]:
    return [_encode(item, writing, f"{path}[{index}]", depth + 1) for index, item in enumerate(items)]


def _encode_other(value: object, writing: _Writing, path: str, depth: int) -> object:
    """An object of a class, then a value of the table of types."""
    described = _describe(value, writing, path)
    if described is not None:
        return {
            CLASSNAME: described.classname,
            VERSION: described.version,
            DATA: _encode(described.data, writing, path, depth + 1),
        }
    if isinstance(value, float):
        return _encode_float(float(value))
    if getattr(
        type(value), "is_stored_as_list", False
    ):  # a sequence of ours that reads its elements when they are used
        return _encode_items(cast("Iterable[object]", value), writing, path, depth)
    encoder = find_encoder(value)
    if encoder is None:
        raise NotSerializable(writing.what, path, f"a {_class_name(value)}", _remedy(value))
    name, encode = encoder
    return {TYPE: name, VALUE: encode(value)}


def _describe(value: object, writing: _Writing, path: str) -> StoredObject | None:
    if writing.describe_object is None:
        return None
    try:
        return writing.describe_object(value)
    except NoStoredForm as refusal:
        raise NotSerializable(writing.what, path, f"a {_class_name(value)}", str(refusal)) from refusal.__cause__


def _encode_dict(value: dict[object, object], writing: _Writing, path: str, depth: int) -> object:
    if all(type(key) is str for key in value) and TYPE not in value and CLASSNAME not in value:
        return {cast(str, key): _encode(item, writing, f"{path}[{key!r}]", depth + 1) for key, item in value.items()}
    pairs = [
        [
            _encode(key, writing, f"{path}<key {key!r}>", depth + 1),
            _encode(item, writing, f"{path}[{key!r}]", depth + 1),
        ]
        for key, item in value.items()
    ]
    return {TYPE: "dict", VALUE: pairs}


def _decode(value: object, make_object: MakeObject | None) -> object:
    if isinstance(value, list):
        return [_decode(item, make_object) for item in value]
    if not isinstance(value, dict):
        return value
    if TYPE not in value:
        if is_stored_object(value):
            return _decode_object(value, make_object)
        return {key: _decode(item, make_object) for key, item in value.items()}
    kind, body = value[TYPE], value[VALUE]
    if kind == "dict":
        return {_decode(key, make_object): _decode(item, make_object) for key, item in body}
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](_decode(item, make_object) for item in body)
    if kind not in DECODERS:
        raise ValueError(f"unknown type {kind!r}; it was written by a newer version")
    return DECODERS[kind](body)


def _decode_object(value: dict[str, object], make_object: MakeObject | None) -> object:
    classname, version = cast(str, value[CLASSNAME]), value[VERSION]
    if make_object is None:
        raise DeserializationError(
            f"The stored value holds an object of class {classname}, which only tasks and triggers make."
        )
    if type(version) is not int:
        raise ValueError(f"the version of an object of class {classname} is {version!r}, not a whole number")
    return make_object(StoredObject(classname, version, _decode(value.get(DATA), make_object)))


_CONTAINERS = {"tuple": tuple, "set": set, "frozenset": frozenset}


def _class_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _remedy(value: object) -> str:
    for mark, remedy in _REMEDIES:
        if hasattr(value, mark):
            return remedy
    return "Give its class serialize() and a static deserialize(data, version), pass plain data (dict, list, str, numbers, datetime, ...), or store it elsewhere and pass its address."


_REMEDIES = (
    ("__struct_fields__", "Return msgspec.to_builtins(value) instead."),
    (
        "_sort_order_",
        "Return value.value instead; only members of an enum of texts or whole numbers are stored, as these.",
    ),
    ("to_dict", "Return value.to_dict() instead, or store it elsewhere and pass its address."),
    ("tolist", "Return value.tolist() instead."),
    ("cr_frame", "It is the result of an `async def` that was not awaited: run it with asyncio.run(...)."),
    ("send", "Return list(value) instead of a generator."),
)
