"""A `PageQuery` on entries that are in memory, with the rules of `page_query`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any, Generic, TypeAlias, TypeVar

from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey

T = TypeVar("T")
Fields: TypeAlias = Mapping[str, Any]
"""The values of the fields of one entry."""


@dataclass(frozen=True, slots=True)
class MemoryPage(Generic[T]):
    """Entries of one page, with the values of the sort keys of each, and the number of all that meet the conditions."""

    entries: list[T]
    keys: list[tuple[object, ...]]
    has_more: bool
    total: int


def select_page(entries: Sequence[T], read_fields: Callable[[T], Fields], query: PageQuery) -> MemoryPage[T]:
    """The page of these entries. `read_fields` gives the values of the fields of an entry."""
    pairs = [(read_fields(entry), entry) for entry in entries]
    pairs = [
        (fields, entry) for fields, entry in pairs if all(holds(condition, fields) for condition in query.conditions)
    ]

    def compare(first: tuple[Fields, T], other: tuple[Fields, T]) -> int:
        return _compare(first[0], other[0], query.order)

    pairs.sort(key=cmp_to_key(compare))
    start, stop = query.offset, query.offset + query.limit
    has_more = len(pairs) > stop
    if query.position is not None:
        at = dict(zip((key.field for key in query.order), query.position.values, strict=True))
        if query.position.is_before:
            stop = sum(_compare(fields, at, query.order) < 0 for fields, _ in pairs)
            start = max(stop - query.limit, 0)
            has_more = start > 0
        else:
            start = sum(_compare(fields, at, query.order) <= 0 for fields, _ in pairs)
            stop = start + query.limit
            has_more = len(pairs) > stop
    page = pairs[start:stop]
    keys = [tuple(fields[key.field] for key in query.order) for fields, _ in page]
    return MemoryPage([entry for _, entry in page], keys, has_more, len(pairs))


def holds(condition: Condition, fields: Fields) -> bool:
    """Whether an entry with these values of its fields meets the condition."""
    value, operand = fields[condition.field], condition.value
    if condition.operator in (Operator.IN, Operator.NOT_IN):
        assert isinstance(operand, list | tuple)
        return (value in operand) is (condition.operator is Operator.IN)
    if value is None:
        return condition.operator is Operator.MATCHES_NOT
    if condition.operator in (Operator.MATCHES, Operator.MATCHES_NOT):
        assert isinstance(operand, list | tuple)
        return any(is_like(str(value), str(text)) for text in operand) is (condition.operator is Operator.MATCHES)
    if condition.operator is Operator.STARTS_WITH:
        assert isinstance(operand, list | tuple)
        return str(value).startswith(tuple(map(str, operand)))
    return bool(_COMPARISONS[condition.operator](value, operand))


_COMPARISONS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: lambda value, operand: value == operand,
    Operator.AT_LEAST: lambda value, operand: value >= operand,
    Operator.MORE: lambda value, operand: value > operand,
    Operator.AT_MOST: lambda value, operand: value <= operand,
    Operator.LESS: lambda value, operand: value < operand,
}


def is_like(value: str, text: str) -> bool:
    """Whether the text occurs in the value, without regard to case; `%` and `_` in it are wildcards of LIKE.

    No regular expression is made of the text: Python keeps 32,768 of those that `fnmatch` makes, and a client chooses their lengths.
    """
    value, at = value.lower(), 0
    for part in filter(
        None, text.lower().split("%")
    ):  # what stands between two `%` is found as early as possible, so nothing is tried twice
        at = _find_part(value, part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _find_part(value: str, part: str, at: int) -> int:
    """Where the part is found in the value, at that place or later; -1: nowhere. `_` stands for any character."""
    if "_" not in part:
        return value.find(part, at)
    for place in range(at, len(value) - len(part) + 1):
        if all(
            pattern_character in ("_", character)
            for pattern_character, character in zip(part, value[place : place + len(part)], strict=True)
        ):
            return place
    return -1


def _compare(first: Fields, other: Fields, order: Sequence[SortKey]) -> int:
    """Less than 0 when the entry `first` comes before `other`. NULL is last in either direction."""
    for key in order:
        first_value, other_value = first[key.field], other[key.field]
        if first_value is None or other_value is None:
            if (first_value is None) != (other_value is None):
                return 1 if first_value is None else -1
        elif first_value != other_value:
            return (1 if first_value > other_value else -1) * (-1 if key.descends else 1)
    return 0
