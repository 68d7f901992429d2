"""`PageQuery`: which rows of a listing, in which order, from where on; completes the text of a listing's statement.

A listing is a statement of `store/sql` with `-- field:` lines (`store.statements`). Values are always parameters, never text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from gnomon.store.drivers.address import POSTGRESQL
from gnomon.store.statements import ListingField, Statement
from gnomon.store.transaction import Row, Transaction

COUNT_MAX = 10_000
"""A list that no tally counts is counted up to this number of rows behind the page."""


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
    MATCHES = "matches"
    """One of several texts occurs in the field, without regard to case; `%` and `_` in it are wildcards of LIKE."""
    STARTS_WITH = "starts with"
    """The field begins with one of several texts, exactly."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one field of a listing. For IN, NOT_IN, MATCHES and STARTS_WITH the value is a sequence."""

    field: str
    operator: Operator
    value: object


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


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows of one page, with the values of the sort keys of each row."""

    rows: list[Row]
    keys: list[tuple[object, ...]]
    has_more: bool
    """There are rows behind the page, or before it for a page that ends before a position."""


def read_page(tx: Transaction, name: str, query: PageQuery, **parameters: object) -> FoundRows:
    """The rows of the page. `parameters`: those that the statement has besides its fields. Raises KeyError for an unknown field."""
    statement = tx.listing(name)
    is_reversed = query.position is not None and query.position.is_before
    order = [replace(key, descends=not key.descends) for key in query.order] if is_reversed else list(query.order)
    clauses = _Clauses(statement, tx.dialect == POSTGRESQL)
    for condition in query.conditions:
        clauses.add(condition)
    if query.position is not None:
        clauses.add_position(order, query.position.values, is_reversed)
    keys = [statement.fields[key.field] for key in order]
    columns = "".join(f", {key.expression}" for key in keys)
    text = clauses.complete(statement.text.replace("{keys}", columns).replace("{order}", _describe_order(keys, order, is_reversed)))
    values = {**parameters, **clauses.values, "limit": query.limit + 1, "offset": 0 if query.position is not None else query.offset}
    found = tx.all_of(Statement(name, text), values)
    rows, has_more = found[: query.limit], len(found) > query.limit
    if is_reversed:
        rows.reverse()
    width = len(keys)
    return FoundRows([row[: len(row) - width] for row in rows], [tuple(row[len(row) - width :]) for row in rows], has_more)


def count_rows(tx: Transaction, name: str, conditions: Sequence[Condition], most: int, **parameters: object) -> int:
    """How many rows of the listing meet the conditions, at most `most`; the statement has `{conditions}` and `:most`."""
    statement = tx.listing(name)
    clauses = _Clauses(statement, tx.dialect == POSTGRESQL)
    for condition in conditions:
        clauses.add(condition)
    rows = tx.all_of(Statement(name, clauses.complete(statement.text)), {**parameters, **clauses.values, "most": most})
    return int(rows[0][0])


class _Clauses:
    """The conditions as text, and the values of their parameters."""

    def __init__(self, statement: Statement, is_postgresql: bool) -> None:
        self._fields = statement.fields
        self._is_postgresql = is_postgresql
        self._texts: list[str] = []
        self.values: dict[str, object] = {}

    def complete(self, text: str) -> str:
        """The text of the statement with the conditions in their place."""
        return text.replace("{conditions}", " AND ".join(self._texts) or "1 = 1")

    def add(self, condition: Condition) -> None:
        """Add a condition."""
        expression = self._fields[condition.field].expression
        if condition.operator in (Operator.IN, Operator.NOT_IN):
            self._texts.append(self._build_in(expression, list(_items(condition.value)), condition.operator is Operator.NOT_IN))
        elif condition.operator is Operator.MATCHES:
            self._add_any(self._build_match(expression, str(text)) for text in _items(condition.value))
        elif condition.operator is Operator.STARTS_WITH:
            self._add_any(self._build_start(expression, str(text)) for text in _items(condition.value))
        else:
            self._texts.append(f"{expression} {condition.operator.value} {self._bind(condition.value)}")

    def add_position(self, order: Sequence[SortKey], values: Sequence[object], is_reversed: bool) -> None:
        """Only rows behind the row with these values of the sort keys."""
        keys = [self._fields[key.field] for key in order]
        if len({key.descends for key in order}) == 1 and not any(key.is_nullable for key in keys):
            columns, bound = ", ".join(key.expression for key in keys), ", ".join(self._bind(value) for value in values)
            self._texts.append(f"({columns}) {'<' if order[0].descends else '>'} ({bound})")
            return
        alternatives: list[str] = []
        equal: list[str] = []
        for key, found, value in zip(order, keys, values, strict=True):
            behind = self._build_behind(found, key.descends, value, is_reversed)
            if behind:
                alternatives.append(" AND ".join([*equal, behind]))
            equal.append(f"{found.expression} IS NULL" if value is None else f"{found.expression} = {self._bind(value)}")
        self._add_any(alternatives)

    def _build_behind(self, found: ListingField, descends: bool, value: object, is_reversed: bool) -> str:
        """That the row is behind one with this value of the key; empty when no row can be. NULL is last, and first in reverse."""
        if value is None:
            return f"{found.expression} IS NOT NULL" if is_reversed else ""
        behind = f"{found.expression} {'<' if descends else '>'} {self._bind(value)}"
        return f"({behind} OR {found.expression} IS NULL)" if found.is_nullable and not is_reversed else behind

    def _build_in(self, expression: str, values: list[object], is_negated: bool) -> str:
        bound = [self._bind(value) for value in values if value is not None]
        texts = [f"{expression} IN ({', '.join(bound)})"] if bound else []
        if None in values:
            texts.append(f"{expression} IS NULL")
        if not texts:
            return "1 = 1" if is_negated else "1 = 0"
        return f"NOT ({' OR '.join(texts)})" if is_negated else f"({' OR '.join(texts)})"

    def _build_match(self, expression: str, text: str) -> str:
        if self._is_postgresql:
            escaped = text.replace("\\", "\\\\")
            return f"{expression} ILIKE {self._bind(f'%{escaped}%')}"
        return f"{expression} LIKE {self._bind(f'%{text}%')}"

    def _build_start(self, expression: str, text: str) -> str:
        if self._is_postgresql:
            return f"starts_with({expression}, {self._bind(text)})"
        return f"substr({expression}, 1, {self._bind(len(text))}) = {self._bind(text)}"

    def _add_any(self, texts: Iterable[str]) -> None:
        found = list(texts)
        self._texts.append(f"({' OR '.join(found)})" if found else "1 = 0")

    def _bind(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"%({name})s" if self._is_postgresql else f":{name}"


def _items(value: object) -> Sequence[object]:
    assert isinstance(value, list | tuple)
    return value


def _describe_order(keys: Sequence[ListingField], order: Sequence[SortKey], is_reversed: bool) -> str:
    """The ORDER BY; NULL is last, and first when the order is reversed."""
    texts = []
    for found, key in zip(keys, order, strict=True):
        if found.is_nullable:
            texts.append(f"{found.expression} IS NULL{' DESC' if is_reversed else ''}")
        texts.append(f"{found.expression}{' DESC' if key.descends else ''}")
    return ", ".join(texts)
