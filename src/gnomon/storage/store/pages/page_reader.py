"""Reads and counts the rows of a `PageQuery`: completes the text of a listing's statement.

A listing is a statement of `store/sql` with `-- field:` lines (`store.statements`). A list whose first sort key can be NULL, or has few known
values, is read part by part: the rows of one part are in the order of an index, which those of all parts together are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gnomon.storage.store.address import POSTGRESQL, SQLITE
from gnomon.storage.store.pages.listing_clauses import ListingClauses, describe_order
from gnomon.storage.store.pages.page_query import Condition, FoundRows, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.statements import ListingField, Statement
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class _ListPart:
    """Rows that follow one another in the list."""

    value: object
    """The first sort key of all these rows, or ANY_VALUE."""
    condition: str | None
    """Which rows they are; None: all."""
    keys: tuple[ListingField, ...]
    """What orders them."""
    order: tuple[SortKey, ...]
    position: tuple[object, ...] | None = None
    """The values of these keys behind which the rows are; None: all rows."""
    is_short: bool = False


_ANY_VALUE = object()
_PRIMARY_KEYS = frozenset({"id", "run_pk"})
"""Fields whose order the planner of PostgreSQL likes to read, too, although the rows that are wanted are at its other end."""


def read_page(tx: Transaction, name: str, query: PageQuery, **parameters: object) -> FoundRows:
    """The rows of the page. `parameters`: those that the statement has besides its fields. Raises KeyError for an unknown field."""
    statement = tx.listing(name)
    is_reversed = query.position is not None and query.position.is_before
    order = tuple(replace(key, descends=not key.descends) for key in query.order) if is_reversed else query.order
    row_count, skipped = query.limit + 1, 0 if query.position is not None else query.offset
    page_rows: list[Row] = []
    parts = _split(statement.fields, order, is_reversed=is_reversed)
    if query.position is not None:
        parts = _start_at(parts, order[0], query.position)
    for part in parts:
        rows = _read_part(
            tx, statement, query, part, (row_count - len(page_rows), skipped), parameters, is_reversed=is_reversed
        )
        if skipped and not rows and part is not parts[-1]:
            skipped -= _count_part(tx, name, query, part, skipped, parameters)
        elif rows:
            skipped = 0
        page_rows += rows
        if len(page_rows) >= row_count:
            break
    rows, has_more = page_rows[: query.limit], len(page_rows) > query.limit
    if is_reversed:
        rows.reverse()
    width = len(query.order)
    return FoundRows(
        [row[: len(row) - width] for row in rows], [tuple(row[len(row) - width :]) for row in rows], has_more
    )


def find_end_of_search(
    tx: Transaction, name: str, query: PageQuery, most: int, bounds: tuple[Condition, ...] = ()
) -> Condition | None:
    """The condition that ends a search without an index after so many rows from the beginning of the page; None: it ends by itself.

    `name`: the listing of keys only. The order of the query has an index; its last field is the key. `bounds`: conditions that an index serves, outside of which nothing is searched.
    """
    first, descends = query.order[0], query.order[0].descends
    begins: tuple[Condition, ...] = ()
    if query.position is not None:
        descends = first.descends is not query.position.is_before
        begins = (
            Condition(first.field, Operator.AT_MOST if descends else Operator.AT_LEAST, query.position.values[0]),
        )
    order = dict.fromkeys((SortKey(first.field, descends), SortKey(query.order[-1].field, descends)))
    end = read_page(tx, name, PageQuery((*begins, *bounds), tuple(order), 1, most))
    if not end.keys or end.keys[0][0] is None:
        return None
    return Condition(first.field, Operator.AT_LEAST if descends else Operator.AT_MOST, end.keys[0][0])


def count_rows(
    tx: Transaction,
    name: str,
    conditions: Sequence[Condition],
    most: int,
    along: SortKey | None = None,
    **parameters: object,
) -> int:
    """How many rows of the listing meet the conditions, at most `most`; the statement has `{conditions}` and `:most`.

    `along`: PostgreSQL counts in the order of this field, which an index has, and the statement has `{order}`. It takes rows of a range to be anywhere in
    the table, and would read the table from its beginning to the first of them.
    """
    return _count(tx, name, conditions, None, most, parameters, along)


def _split(fields: Mapping[str, ListingField], order: tuple[SortKey, ...], *, is_reversed: bool) -> list[_ListPart]:
    """The parts of the list, in order. NULL is last, and first when the order is reversed."""
    keys = tuple(fields[key.field] for key in order)
    first = keys[0]
    if len(keys) > 1 and first.parts:
        parts = [
            _ListPart(value, condition.removeprefix("few "), keys[1:], order[1:], is_short=condition.startswith("few "))
            for value, condition in sorted(first.parts)
        ]
        return parts[::-1] if order[0].descends else parts
    if len(keys) > 1 and first.is_nullable:
        ordered = ListingField(first.equal or first.expression)
        parts = [
            _ListPart(_ANY_VALUE, f"{first.expression} IS NOT NULL", (ordered, *keys[1:]), order),
            _ListPart(None, f"{first.expression} IS NULL", keys[1:], order[1:]),
        ]
        return parts[::-1] if is_reversed else parts
    return [_ListPart(_ANY_VALUE, None, keys, order)]


def _start_at(parts: list[_ListPart], first: SortKey, position: Position) -> list[_ListPart]:
    """The parts from the one with the position on; that one begins behind it."""
    value = position.values[0]
    for number, part in enumerate(parts):
        if part.value is _ANY_VALUE and (value is not None or len(parts) == 1):
            return [replace(part, position=position.values), *parts[number + 1 :]]
        if part.value == value and part.value is not _ANY_VALUE:
            return [replace(part, position=position.values[1:]), *parts[number + 1 :]]
        if (
            isinstance(part.value, int)
            and isinstance(value, int)
            and (part.value < value if first.descends else part.value > value)
        ):
            return parts[number:]
    return []


def _read_part(
    tx: Transaction,
    statement: Statement,
    query: PageQuery,
    part: _ListPart,
    cut: tuple[int, int],
    parameters: Mapping[str, object],
    *,
    is_reversed: bool,
) -> list[Row]:
    """Rows of one part. `cut`: how many, and how many are left out before them."""
    clauses = ListingClauses(statement, query.conditions, is_postgresql=tx.dialect == POSTGRESQL)
    if part.condition is not None:
        clauses.add_text(part.condition)
    if part.position is not None:
        clauses.add_position(part.keys, part.order, part.position, is_reversed=is_reversed)
    columns = "".join(f", {statement.fields[key.field].expression}" for key in query.order)
    is_sorted = (query.is_short or part.is_short) and (tx.dialect == SQLITE or query.order[0].field in _PRIMARY_KEYS)
    keys = [replace(key, expression=f"+{key.expression}") for key in part.keys] if is_sorted else part.keys
    ordered = describe_order(keys, part.order, is_reversed=is_reversed)
    text = clauses.complete(statement.text.replace("{keys}", columns), ordered)
    return tx.all_of(
        Statement(statement.name, text, is_prepared=False),
        {**parameters, **clauses.values, "limit": cut[0], "offset": cut[1]},
    )


def _count_part(
    tx: Transaction, name: str, query: PageQuery, part: _ListPart, most: int, parameters: Mapping[str, object]
) -> int:
    return _count(tx, f"{name.partition('.')[0]}.count", query.conditions, part.condition, most, parameters)


def _count(
    tx: Transaction,
    name: str,
    conditions: Sequence[Condition],
    more: str | None,
    most: int,
    parameters: Mapping[str, object],
    along: SortKey | None = None,
) -> int:
    statement = tx.listing(name)
    clauses = ListingClauses(statement, conditions, is_postgresql=tx.dialect == POSTGRESQL)
    if more is not None:
        clauses.add_text(more)
    order = ""
    if along is not None and tx.dialect == POSTGRESQL:
        field = statement.fields[along.field]
        order = f"ORDER BY {field.equal or field.expression}{' DESC' if along.descends else ''}"
    rows = tx.all_of(
        Statement(name, clauses.complete(statement.text, order), is_prepared=False),
        {**parameters, **clauses.values, "most": most},
    )
    return int(rows[0][0])
