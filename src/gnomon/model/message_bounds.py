"""Which values of a message that the process of an author wrote can reach the store: numbers between EARLIEST and LATEST, finite spans, storable text."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Mapping

import msgspec

from gnomon.model.instants import EARLIEST, LATEST
from gnomon.model.json_value import find_json_fault
from gnomon.model.storable_text import find_unstorable


def find_message_fault(message: object, values: Collection[str] = ()) -> str | None:
    """Why the message cannot be stored, with the name of its field; None: it can.

    `values`: names of fields whose text is stored encrypted or as JSON, where a null character does no harm.
    """
    return _find_fault(message, "", values)


def find_number_fault(message: msgspec.Struct) -> str | None:
    """Why a number of the message fits into no column, with its field; None: all do. Instants end with `_at`; structs inside are not read."""
    for name in message.__struct_fields__:
        value = getattr(message, name)
        if type(value) is int:
            low, high = (EARLIEST, LATEST) if name.endswith("_at") else (-(2**31), 2**31 - 1)
            if not low <= value <= high:
                return f"{name} is out of range"
        elif type(value) is float and not math.isfinite(value):
            return f"{name} is {value}, and must be a finite number"
    return None


def _find_fault(value: object, place: str, values: Collection[str]) -> str | None:
    if value is None or isinstance(value, bool | bytes):
        return None
    if isinstance(value, str):
        name = place.rpartition(".")[2]
        fault = find_unstorable(value, stores_nul=name in values)
        return None if fault is None else f"{place} contains {fault}"
    if isinstance(value, int):
        return None if EARLIEST <= value <= LATEST else f"{place} is out of range"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{place} is {value}, and must be a finite number"
    if isinstance(value, Mapping):
        if (fault := find_json_fault(dict.fromkeys(value), place)) is not None:
            return fault
        if not any(
            isinstance(item, msgspec.Struct | tuple) or dataclasses.is_dataclass(item) for item in value.values()
        ):
            return find_json_fault(value, place)
    return next(
        (
            fault
            for name, part in _list_parts(value)
            if (fault := _find_fault(part, f"{place}.{name}".lstrip("."), values)) is not None
        ),
        None,
    )


def _list_parts(value: object) -> Iterator[tuple[object, object]]:
    if isinstance(value, msgspec.Struct):
        return ((name, getattr(value, name)) for name in value.__struct_fields__)
    if dataclasses.is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return iter(value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return iter(enumerate(value))
    return iter(())
