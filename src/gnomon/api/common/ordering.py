"""`order_by`: names of attributes, each with `-` for descending order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gnomon.api.common.refusals import Refusal
from gnomon.model.sentences import say
from gnomon.storage.store.pages.page_query import SortKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SortField:
    """A field of a listing in the store, and what its values are."""

    name: str
    is_text: bool = False
    is_nullable: bool = False


@dataclass(frozen=True, slots=True)
class Ordering:
    """The sort keys of a page, and the fields that they compare."""

    keys: tuple[SortKey, ...]
    fields: tuple[SortField, ...]


def parse_order(
    order_by: Sequence[str], readers: Mapping[str, SortField], default: str, unique: Sequence[SortField]
) -> Ordering:
    """The order that the client wants, else `default`, then by the `unique` fields, in the direction of the first key.

    Raises Refusal (400) for an attribute that the list cannot be ordered by.
    """
    keys: list[SortKey] = []
    fields: list[SortField] = []
    for text in [name for name in order_by if name] or [default]:
        field, descends = _find_attribute(text, readers), text.startswith("-")
        if all(key.field != field.name for key in keys):
            keys.append(SortKey(field.name, descends))
            fields.append(field)
    for field in unique:
        if all(key.field != field.name for key in keys):
            keys.append(SortKey(field.name, keys[0].descends))
            fields.append(field)
    return Ordering(tuple(keys), tuple(fields))


def sort_entries(
    entries: Sequence[T], order_by: Sequence[str], readers: Mapping[str, Callable[[T], Any]], default: str
) -> list[T]:
    """The entries of a list that is in memory, in the order that the client wants; None comes last. Entries that are equal keep their order.

    Raises Refusal (400) for an attribute that the list cannot be ordered by.
    """
    chosen: dict[str, str] = {}
    for text in [name for name in order_by if name] or [default]:
        _find_attribute(text, readers)
        chosen.setdefault(
            text.removeprefix("-"), text
        )  # named again, an attribute changes nothing, and each costs a sort
    ordered = list(entries)
    for text in reversed(chosen.values()):
        value_of: Callable[[T], Any] = _find_attribute(text, readers)
        known_values = sorted(
            (entry for entry in ordered if value_of(entry) is not None), key=value_of, reverse=text.startswith("-")
        )
        ordered = [*known_values, *(entry for entry in ordered if value_of(entry) is None)]
    return ordered


V = TypeVar("V")


def _find_attribute(text: str, readers: Mapping[str, V]) -> V:
    name = text.removeprefix("-")
    if name not in readers:
        raise Refusal(400, say("list_cannot_be_ordered_by_field", name=name, names=", ".join(sorted(readers))))
    return readers[name]
