"""Values at and past each limit for every field of a message, found from the definition of the message: a new field is covered without a change here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

TEXTS = ("", "\0", "a\0b", "\u202e", "x" * 1_001, "x" * 100_000, "~", "NaN", "{", "0001-01-01T00:00:00Z")
SURROGATE = "\udce9"
"""Only JSON can carry it, as an escape."""
INTEGERS = (
    -1,
    0,
    1,
    63,
    64,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**53,
    253_402_300_799_999_999,
    253_402_214_400_000_000,
    -62_135_596_800_000_001,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    -(2**63),
)
HUGE = (2**70, -(2**70), 10**300)
"""Only JSON can carry them."""
FLOATS = (-1.0, 0.0, -0.0, 1e-9, 0.5, 86_399_999_999_999.0, 1e18, 1.26e19, 1e308, -1e308)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))
"""Only MessagePack can carry them."""
OTHERS: tuple[object, ...] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"a": None},
    {"": {"": []}},
    "text",
    1,
    1.5,
    {"a": [1] * 1000},
)
BINARY: tuple[object, ...] = (b"bytes", msgspec.msgpack.Ext(5, b"x"))
"""Only MessagePack can carry them."""
MISSING = object()


def nest(depth: int) -> object:
    """A list of lists."""
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def list_values(*, is_json: bool) -> list[object]:
    """Every hostile value that the format can carry."""
    common = [*TEXTS, *INTEGERS, *FLOATS, *OTHERS, nest(40), nest(300)]
    return [*common, SURROGATE, f"a{SURROGATE}b", *HUGE] if is_json else [*common, *NOT_FINITE, *BINARY]


def vary_struct(message: msgspec.Struct, *, is_json: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """(the path of the field, the message as plain data) with each field of the message, and of the structs in it, replaced by each value, or left out."""
    plain = msgspec.to_builtins(message, builtin_types=(bytes,) if not is_json else ())
    _fill_defaults(plain, message)
    for path in _list_paths(plain, message):
        for value in (*list_values(is_json=is_json), MISSING):
            yield ".".join(map(str, path)), _replace_at(plain, path, value)


def list_fields(message: msgspec.Struct) -> list[str]:
    """The paths that `vary_struct` varies."""
    plain = msgspec.to_builtins(message)
    _fill_defaults(plain, message)
    return [".".join(map(str, path)) for path in _list_paths(plain, message)]


def encode_json(plain: Mapping[str, Any]) -> bytes:
    """The JSON text, with lone surrogates as escapes and numbers of any length."""
    return json.dumps(plain, default=lambda value: value.hex() if isinstance(value, bytes) else str(value)).encode()


def double_field(encoded: bytes, name: str, value: object) -> bytes:
    """The JSON object with a second value for the field."""
    return encoded[:-1] + b"," + json.dumps(name).encode() + b":" + json.dumps(value).encode() + b"}"


def _fill_defaults(plain: Any, message: msgspec.Struct) -> None:
    """Add the fields that were left out because they have their default."""
    if not isinstance(plain, dict):
        return
    names = dict(zip(message.__struct_fields__, message.__struct_encode_fields__, strict=True))
    for name, encoded in names.items():
        value = getattr(message, name)
        plain.setdefault(encoded, msgspec.to_builtins(value))
        if isinstance(value, msgspec.Struct):
            _fill_defaults(plain[encoded], value)


def _list_paths(plain: Any, message: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(message, msgspec.Struct) and isinstance(plain, dict):
        for name, encoded in zip(message.__struct_fields__, message.__struct_encode_fields__, strict=True):
            yield (*path, encoded)
            yield from _list_paths(plain.get(encoded), getattr(message, name), (*path, encoded))
    elif isinstance(message, tuple | list) and isinstance(plain, tuple | list):
        for number, part in enumerate(message):
            if isinstance(part, msgspec.Struct):
                yield from _list_paths(plain[number], part, (*path, number))
    elif isinstance(message, dict) and message:
        yield (*path, next(iter(message)))


def _replace_at(plain: Any, path: tuple[str | int, ...], value: object) -> Any:
    head, rest = path[0], path[1:]
    if isinstance(plain, tuple | list):
        parts = list(plain)
        parts[int(head)] = value if not rest else _replace_at(parts[int(head)], rest, value)
        return parts
    copy = dict(plain)
    if rest:
        copy[str(head)] = _replace_at(copy[str(head)], rest, value)
    elif value is MISSING:
        copy.pop(str(head), None)
    else:
        copy[str(head)] = value
    return copy
