"""Filters of lists: `_gte`, `_gt`, `_lte`, `_lt`, `_pattern` and `_prefix_pattern` behind the name of an attribute, or the attribute itself.

Gnomon's own lists have also `_not` and `_not_pattern`: what is none of the values, and what has none of the texts.

`*_pattern` ignores case and finds the text anywhere; `%` and `_` are wildcards. `*_prefix_pattern` is exact. In both, `|` means OR and
`~` matches everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from gnomon.api.common.refusals import Refusal
from gnomon.model.instants import SECOND, Instant, to_instant
from gnomon.model.sentences import say
from gnomon.storage.store.pages.page_query import Condition, Operator

_OPERATORS = {
    "_not_pattern": Operator.MATCHES_NOT,
    "_not": Operator.NOT_IN,
    "_prefix_pattern": Operator.STARTS_WITH,
    "_pattern": Operator.MATCHES,
    "_gte": Operator.AT_LEAST,
    "_gt": Operator.MORE,
    "_lte": Operator.AT_MOST,
    "_lt": Operator.LESS,
}
_PATTERNS = (Operator.STARTS_WITH, Operator.MATCHES, Operator.MATCHES_NOT)


SECONDS_MAX = 10**11
"""More than 3,000 years."""


def read_instant(value: datetime) -> Instant:
    """The instant of a date in a request; a date without an offset is UTC, as in Airflow's API."""
    try:
        return to_instant(value if value.tzinfo is not None else value.replace(tzinfo=UTC))
    except OverflowError:
        raise Refusal(422, say("date_is_out_of_range", text=value.isoformat())) from None


def read_seconds(value: float) -> int:
    """A span in seconds as microseconds. Raises Refusal (422) for a number that is none, and for one that no span has."""
    if not abs(value) <= SECONDS_MAX:  # also false for NaN
        raise Refusal(
            422, say("number_of_seconds_is_out_of_range", number=str(value), least=-SECONDS_MAX, most=SECONDS_MAX)
        )
    return round(value * SECOND)


@dataclass(frozen=True, slots=True)
class FilterField:
    """What a filter compares: a field of the listing, and how a value of the request becomes one of the store."""

    name: str
    read: Callable[[Any], object] = lambda value: value
    splits: bool = True
    """False: `|` in a pattern is no OR."""


def build_conditions(
    filters: BaseModel, fields: Mapping[str, FilterField], ignored: Iterable[str] = ()
) -> list[Condition]:
    """The conditions of the parameters that the client gave. `ignored`: parameters that are no filters.

    Raises KeyError for a parameter without a field, which is an error in this program.
    """
    conditions = []
    for name in filters.model_fields_set.difference(ignored):
        value = getattr(filters, name)
        if value is None or value == []:
            continue
        suffix = next((suffix for suffix in _OPERATORS if name.endswith(suffix) and name not in fields), "")
        field = fields[name.removesuffix(suffix)]
        operator = _OPERATORS.get(suffix, Operator.IN if isinstance(value, list) else Operator.EQUAL)
        if operator in _PATTERNS:
            texts = split_pattern(value, splits=field.splits)
            if texts is not None:
                conditions.append(Condition(field.name, operator, texts))
        elif operator in (Operator.IN, Operator.NOT_IN):
            conditions.append(Condition(field.name, operator, [field.read(item) for item in value]))
        else:
            conditions.append(Condition(field.name, operator, field.read(value)))
    return conditions


PATTERN_MAX = 2_000
"""The most characters of a pattern."""
ALTERNATIVES_MAX = 100
"""The most texts of one pattern: SQLite permits conditions of a depth of 1,000."""


def check_pattern_length(pattern: str) -> None:
    """Raise Refusal (422) for a text to search for that is too long: SQLite refuses it."""
    if len(pattern) > PATTERN_MAX:
        raise Refusal(422, say("pattern_is_too_long", most=PATTERN_MAX, length=len(pattern)))


def split_pattern(pattern: str, *, splits: bool = True) -> list[str] | None:
    """The texts of a pattern, of which one must be found; None when everything matches. Raises Refusal (422) for a pattern that is too long."""
    check_pattern_length(pattern)
    texts = [text.strip() for text in pattern.split("|")] if splits else [pattern]
    texts = [text for text in texts if text]
    if len(texts) > ALTERNATIVES_MAX:
        raise Refusal(422, say("pattern_has_too_many_texts", most=ALTERNATIVES_MAX, length=len(texts)))
    return None if "~" in texts or not texts else texts
