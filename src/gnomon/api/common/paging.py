"""Pages of lists: `limit` and `offset`, or a cursor; and the number of all entries."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from gnomon.api.common.ordering import Ordering, SortField
from gnomon.api.common.refusals import Refusal
from gnomon.model.sentences import say
from gnomon.storage.store.pages.page_query import COUNT_MAX, SORTED_MAX, Position, SortKey

T = TypeVar("T")

LIMIT_MAX = 100
"""The most entries of one answer, as in Airflow: a larger limit counts as this one."""
OFFSET_MAX = 2**53
_NUMBER_MAX = 2**63


class PageParameters(BaseModel):
    """The part of a list that the client wants. A parameter that no list has is refused."""

    model_config = ConfigDict(extra="forbid")
    limit: int = Field(50, ge=0)
    offset: int = Field(0, ge=0, le=OFFSET_MAX)

    @property
    def size(self) -> int:
        """The number of entries of the page."""
        return min(self.limit, LIMIT_MAX)


@dataclass(frozen=True, slots=True)
class TotalEntries:
    """The number of entries of a list; `limit` is set when there may be more."""

    total: int
    limit: int | None = None


def count_entries(count: Callable[[int], int], offset: int, size: int, *, most: int = COUNT_MAX) -> TotalEntries:
    """The number of entries, counted up to `most` entries behind the page. `count` gets the most that it needs to count."""
    most += offset + size
    total = count(most)
    return TotalEntries(total, most if total >= most else None)


def find_total(
    count: Callable[[int], int], offset: int, size: int, entry_count: int, *, has_more: bool
) -> TotalEntries:
    """As `count_entries`, of a list whose page has been read: a last page with `entry_count` entries says how many there are."""
    if not has_more and (entry_count or not offset) and size:
        return TotalEntries(offset + entry_count)
    return count_entries(count, offset, size)


def find_count_limit(order: Ordering, indexed: Collection[str]) -> int:
    """How far a list in that order is counted behind the page: as far as `check_sorted` needs it."""
    return COUNT_MAX if order.fields[0].name in indexed else SORTED_MAX


def check_sorted(total: TotalEntries, order: Ordering, indexed: Collection[str], entries: str) -> None:
    """Return if the list can be read in that order. Raises Refusal (400) for a long list whose order has no index."""
    first = order.fields[0].name
    if total.total > SORTED_MAX and first not in indexed:
        raise Refusal(
            400,
            say(
                "list_is_too_long_for_order",
                most=SORTED_MAX,
                things=entries,
                name=first,
                names=", ".join(sorted(indexed)),
            ),
        )


def cut_page(entries: Sequence[T], page: PageParameters) -> list[T]:
    """The entries of the page, of a list that is in memory."""
    return list(entries[page.offset : page.offset + page.size])


def encode_cursor(order: Sequence[SortKey], values: Sequence[object], *, is_before: bool) -> str:
    """A cursor that names a row by the values of its sort keys."""
    text = json.dumps(
        [[("-" if key.descends else "") + key.field for key in order], list(values), is_before], separators=(",", ":")
    )
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, order: Sequence[SortKey], fields: Sequence[SortField]) -> Position | None:
    """The position that the cursor names; None for an empty cursor, which is the first page. Raises Refusal (400) for a wrong one."""
    if not cursor:
        return None
    try:
        names, values, is_before = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        is_right = names == [("-" if key.descends else "") + key.field for key in order] and len(values) == len(order)
        is_right = is_right and all(_fits(value, field) for value, field in zip(values, fields, strict=True))
    except (ValueError, TypeError, RecursionError):
        is_right = False
    if not is_right:
        raise Refusal(400, say("cursor_is_unknown"))
    return Position(tuple(values), bool(is_before))


def _fits(value: object, field: SortField) -> bool:
    if value is None:
        return field.is_nullable
    if field.is_text:
        return isinstance(value, str) and "\x00" not in value
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _NUMBER_MAX


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursors of the pages behind and before a page; None where there is none."""

    after: str | None
    before: str | None


def build_cursors(
    order: Sequence[SortKey], position: Position | None, keys: Sequence[Sequence[object]], *, has_more: bool
) -> Cursors:
    """The cursors of a page that was read at this position; `keys`: the values of the sort keys of each of its rows."""
    if not keys:
        return Cursors(None, None)
    was_before = position is not None and position.is_before
    has_after = was_before or has_more
    has_before = has_more if was_before else position is not None
    return Cursors(
        encode_cursor(order, keys[-1], is_before=False) if has_after else None,
        encode_cursor(order, keys[0], is_before=True) if has_before else None,
    )
