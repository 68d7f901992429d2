"""The text of conditions and orders of a listing. Values are always parameters, never text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gnomon.storage.store.pages.page_query import Condition, Operator, SortKey
from gnomon.storage.store.statements import ListingField, Statement

SINGLE_VALUES_MAX = 20
"""More values of one condition are one parameter."""
ESTIMATED_VALUES_MAX = 1_000
"""PostgreSQL estimates for each value of a list how many rows have it, which takes it longer than to read the page. More values than this, which many rows have, are not estimated."""
_COLUMN = re.compile(r"\w+\.\w+")
_COMPARISONS = (Operator.EQUAL, Operator.AT_LEAST, Operator.MORE, Operator.AT_MOST, Operator.LESS)
_JSON_TEXT = "->>"
"""PostgreSQL has no statistics of a text in JSON and takes one row for all that match it, so it would find and sort all of them; it takes half of the rows for COALESCE."""


class ListingClauses:
    """The conditions as text, and the values of their parameters."""

    def __init__(self, statement: Statement, conditions: Iterable[Condition], *, is_postgresql: bool) -> None:
        self._statement = statement
        self._fields = statement.fields
        self._is_postgresql = is_postgresql
        self._texts: list[str] = []
        self.values: dict[str, object] = {}
        for condition in conditions:
            self._add(condition)

    def complete(self, text: str, order: str = "") -> str:
        """The text of the statement with the conditions, the order, and the joins that both need, in their places."""
        conditions = " AND ".join(self._texts) or "1 = 1"
        joins = self._build_joins(f"{conditions} {order}")
        if "{order_joins}" in text:
            text = text.replace("{order_joins}", self._build_joins(f"{text} {order}", text))
        return text.replace("{joins}", joins).replace("{conditions}", conditions).replace("{order}", order)

    def add_text(self, text: str) -> None:
        """Add a condition that the statement itself has."""
        self._texts.append(text)

    def _build_joins(self, used: str, joined: str = "") -> str:
        """The joins of what the text uses, but for those that `joined` has."""
        chosen: list[str] = []
        for alias, clause in reversed(self._statement.joins):
            if re.search(rf"\b{alias}\.", used) and not re.search(rf"\bAS {alias}\b", joined):
                chosen.insert(0, clause)
                used += clause.partition(" ON ")[2]
        return " ".join(chosen)

    def _add(self, condition: Condition) -> None:
        field = self._fields[condition.field]
        expression = field.expression
        if field.equal is not None and condition.operator in _COMPARISONS:
            self._texts.append(f"{expression} IS NOT NULL")
            expression = field.equal
        elif (
            field.is_nullable
            and condition.operator in (Operator.MATCHES, Operator.STARTS_WITH)
            and None not in _items(condition.value)
            and _COLUMN.fullmatch(expression)
        ):
            self._texts.append(
                f"{expression} IS NOT NULL"
            )  # for partial indexes; no text is found in NULL, so that another expression is not computed twice
        if condition.is_passed_over or (
            condition.is_dense and (not self._is_postgresql or _has_too_many_values(condition))
        ):
            expression = f"+{expression}"
        part = _find_part(field, condition)
        if part is not None:
            self._texts.append(f"+{part}" if condition.is_dense and not self._is_postgresql else part)
        elif (
            condition.has_few_members
            and field.members is not None
            and condition.operator is Operator.IN
            and condition.value
        ):
            self._texts.append(field.members.replace("{in}", self._bind_any(list(_items(condition.value)))))
        elif condition.operator in (Operator.IN, Operator.NOT_IN):
            text = self._build_in(expression, list(_items(condition.value)), condition.operator is Operator.NOT_IN)
            keeps_null = (
                field.is_nullable and condition.operator is Operator.NOT_IN and None not in _items(condition.value)
            )
            self._texts.append(f"({expression} IS NULL OR {text})" if keeps_null else text)
        elif condition.operator is Operator.MATCHES:
            self._add_any(
                f"{expression} IS NULL" if text is None else self._build_match(expression, str(text))
                for text in _items(condition.value)
            )
        elif condition.operator is Operator.MATCHES_NOT:
            matches = " OR ".join(self._build_match(expression, str(text)) for text in _items(condition.value))
            self._texts.append(
                f"({expression} IS NULL OR NOT ({matches}))" if field.is_nullable else f"NOT ({matches})"
            )
        elif condition.operator is Operator.STARTS_WITH:
            self._add_any(
                f"{expression} IS NULL" if text is None else self._build_start(expression, str(text))
                for text in _items(condition.value)
            )
        else:
            self._texts.append(f"{expression} {condition.operator.value} {self._bind(condition.value)}")

    def add_position(
        self, keys: Sequence[ListingField], order: Sequence[SortKey], values: Sequence[object], *, is_reversed: bool
    ) -> None:
        """Only rows behind the row with these values of the sort keys."""
        if len({key.descends for key in order}) == 1 and not any(key.is_nullable for key in keys):
            columns, bound = ", ".join(key.expression for key in keys), ", ".join(self._bind(value) for value in values)
            self._texts.append(
                f"({columns}) {'<' if order[0].descends else '>'} ({bound})"
                if len(keys) > 1
                else f"{columns} {'<' if order[0].descends else '>'} {bound}"
            )
            return
        alternatives: list[str] = []
        equal: list[str] = []
        for key, sort_field, value in zip(order, keys, values, strict=True):
            behind = self._build_behind(sort_field, key.descends, value, is_reversed)
            if behind:
                alternatives.append(" AND ".join([*equal, behind]))
            equal.append(
                f"{sort_field.expression} IS NULL"
                if value is None
                else f"{sort_field.expression} = {self._bind(value)}"
            )
        self._add_any(alternatives)

    def _build_behind(self, sort_field: ListingField, descends: bool, value: object, is_reversed: bool) -> str:
        """That the row is behind one with this value of the key; empty when no row can be. NULL is last, and first in reverse."""
        if value is None:
            return f"{sort_field.expression} IS NOT NULL" if is_reversed else ""
        behind = f"{sort_field.expression} {'<' if descends else '>'} {self._bind(value)}"
        return (
            f"({behind} OR {sort_field.expression} IS NULL)" if sort_field.is_nullable and not is_reversed else behind
        )

    def _build_in(self, expression: str, values: list[object], is_negated: bool) -> str:
        non_null = [value for value in values if value is not None]
        texts = [f"{expression} {self._bind_any(non_null)}"] if non_null else []
        if None in values:
            texts.append(f"{expression} IS NULL")
        if not texts:
            return "1 = 1" if is_negated else "1 = 0"
        return f"NOT ({' OR '.join(texts)})" if is_negated else f"({' OR '.join(texts)})"

    def _build_match(self, expression: str, text: str) -> str:
        if self._is_postgresql:
            escaped = text.replace("\\", "\\\\")
            match = f"{expression} ILIKE {self._bind(f'%{escaped}%')}"
            return f"COALESCE({match}, FALSE)" if _JSON_TEXT in expression else match
        return f"{expression} LIKE {self._bind(f'%{text}%')}"

    def _build_start(self, expression: str, text: str) -> str:
        if self._is_postgresql:
            return f"starts_with({expression}, {self._bind(text)})"
        return f"substr({expression}, 1, {self._bind(len(text))}) = {self._bind(text)}"

    def _add_any(self, texts: Iterable[str]) -> None:
        alternatives = list(texts)
        self._texts.append(f"({' OR '.join(alternatives)})" if alternatives else "1 = 0")

    def _bind_any(self, values: list[object]) -> str:
        """A list of values, as one parameter if it is long: SQLite has a limit of 32,766 parameters."""
        if len(values) <= SINGLE_VALUES_MAX:
            return f"IN ({', '.join(self._bind(value) for value in values)})"
        name = self._bind(values)
        if self._is_postgresql:
            return f"= ANY({name}::{'text' if isinstance(values[0], str) else 'bigint'}[])"
        return f"IN (SELECT value FROM json_each({name}))"

    def _bind(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"%({name})s" if self._is_postgresql else f":{name}"


def _find_part(field: ListingField, condition: Condition) -> str | None:
    """The condition that a field has its only wanted value, with the value in its text: SQLite uses a partial index for no other text."""
    if condition.operator is not Operator.IN or len(_items(condition.value)) != 1:
        return None
    return next((text.removeprefix("few ") for value, text in field.parts if value == _items(condition.value)[0]), None)


def _has_too_many_values(condition: Condition) -> bool:
    return condition.operator is Operator.IN and len(_items(condition.value)) > ESTIMATED_VALUES_MAX


def _items(value: object) -> Sequence[object]:
    assert isinstance(value, list | tuple)
    return value


def describe_order(keys: Sequence[ListingField], order: Sequence[SortKey], *, is_reversed: bool) -> str:
    """The ORDER BY; NULL is last, and first when the order is reversed."""
    texts = []
    for sort_field, key in zip(keys, order, strict=True):
        nulls = f" NULLS {'FIRST' if is_reversed else 'LAST'}" if sort_field.is_nullable else ""
        texts.append(f"{sort_field.expression}{' DESC' if key.descends else ''}{nulls}")
    return ", ".join(texts)
