"""Finds the values of an event or of the changes of a step that no database can hold, to say which one a commit failed by.

It is called after a failure only. What it finds is a suspicion, which orders the tries and names the field; the database decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

import msgspec

from gnomon.model.sentences import render, say
from gnomon.model.storable_text import find_unstorable

INTEGER_MAX = 2**63 - 1
INTEGER_MIN = -(2**63)
"""The range of the integers of both databases."""
_DEPTH_MAX = 12
_SHOWN_MAX = 40


def list_unstorable(value: object, *, stores_nul: bool = False, limit: int = 3) -> list[str]:
    """A phrase for each of the first values in `value` that cannot be stored: the path of the field and what is wrong with it.

    `stores_nul`: the database can hold the null character in a text, as SQLite can.
    """
    return list(islice(_search(value, "", 0, stores_nul), limit))


def _search(value: object, path: str, depth: int, stores_nul: bool) -> Iterator[str]:
    if value is None or isinstance(value, bool | float | bytes) or depth > _DEPTH_MAX:
        return
    if isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            yield render(say("integer_is_too_large", place=path or "a value", number=_shorten(value)))
        return
    if isinstance(value, str):
        fault = find_unstorable(value, stores_nul=stores_nul)
        if fault is not None:
            yield render(say("text_is_unstorable", place=path or "a text", fault=fault))
        return
    for name, part in _list_parts(value):
        yield from _search(
            part,
            f"{path}{name}" if not path or not name or name.startswith("[") else f"{path}.{name}",
            depth + 1,
            stores_nul,
        )


def _list_parts(value: object) -> Iterator[tuple[str, object]]:
    """The fields or elements of a value, each with the last part of its path."""
    if isinstance(value, msgspec.Struct):
        yield from ((name, getattr(value, name)) for name in value.__struct_fields__)
    elif is_dataclass(value):
        yield from ((field.name, getattr(value, field.name)) for field in fields(value) if field.name != "spec")
    elif isinstance(value, Mapping):
        for key, element in value.items():
            yield "[key]", key
            yield f"[{_shorten(key)}]" if isinstance(key, str) else "", element
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{number}]", element) for number, element in enumerate(value))


def _shorten(value: Any) -> str:
    text = (
        ascii(value)
        if not isinstance(value, int) or abs(value) < 10**_SHOWN_MAX
        else "an integer of more than 40 digits"
    )
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."
