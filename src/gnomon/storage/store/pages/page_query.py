"""`PageQuery`: which rows of a listing, in which order, from where on. `page_reader.py` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gnomon.storage.store.transaction import Row

COUNT_MAX = 1_000
"""A list that no tally counts is counted up to this number of rows behind the page."""
SORTED_MAX = 20_000
"""The most rows that are found by a condition and then sorted. Of more, a list is read in its order, and rows that do not meet the condition are
passed over; in an order that no index has, such a list is refused."""


class Operator(Enum):
    """How a condition compares a field with its value."""

    EQUAL = "="
    AT_LEAST = ">="
    MORE = ">"
    AT_MOST = "<="
    LESS = "<"
    IN = "in"
    """One of several values, of which None is NULL."""
    NOT_IN = "not in"
    """None of several values; NULL is none of them unless None is given."""
    MATCHES = "matches"
    """One of several texts occurs in the field, without regard to case; `%` and `_` in it are wildcards of LIKE. None among them: also NULL."""
    STARTS_WITH = "starts with"
    """The field begins with one of several texts, exactly. None among them: also NULL."""
    MATCHES_NOT = "matches not"
    """None of several texts occurs in the field; NULL has none."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one field of a listing. For IN, NOT_IN, MATCHES, STARTS_WITH and MATCHES_NOT the value is a sequence."""

    field: str
    operator: Operator
    value: object
    is_dense: bool = False
    """Many rows meet the condition, so rows are read in the order of the page and not by an index over the field. SQLite cannot know it."""
    is_passed_over: bool = False
    """No index over the field is used on PostgreSQL either: it knows how many rows meet the condition, but not that they stand together behind the begin of the page."""
    has_few_members: bool = False
    """With IN: few of the rows of the table that has the field meet the condition, so where the field is looked up in another table these are found once (`ListingField.members`)."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """A field of the order; NULL comes last in either direction."""

    field: str
    descends: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page begins: behind the row with these values of the sort keys, or with `is_before` it ends before that row."""

    values: tuple[object, ...]
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Conditions that all hold, the order of the rows, and the part of the list."""

    conditions: tuple[Condition, ...] = ()
    order: tuple[SortKey, ...] = ()
    limit: int = 50
    offset: int = 0
    position: Position | None = None
    is_short: bool = False
    """Few rows meet the conditions, so they are found by these and sorted; SQLite would rather read the whole list in its order."""


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows of one page, with the values of the sort keys of each row."""

    rows: list[Row]
    keys: list[tuple[object, ...]]
    has_more: bool
    """There are rows behind the page, or before it for a page that ends before a position."""
