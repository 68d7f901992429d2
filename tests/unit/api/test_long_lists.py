"""What long lists refuse, and what sentences hide, without a server."""

from __future__ import annotations

import pytest
from fastapi import HTTPException

from gnomon.api.access.hidden_names import HIDDEN, _hide_in_word
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import TotalEntries, check_sorted, count_entries, find_count_limit, find_total
from gnomon.storage.store.pages.page_query import COUNT_MAX, SORTED_MAX

pytestmark = pytest.mark.pure

FIELDS = {"id": SortField("id"), "conf": SortField("conf", is_text=True)}
INDEXED = frozenset({"id"})


@pytest.mark.parametrize("name", ["conf", "-conf"])
def test_a_long_list_in_an_order_without_an_index_is_refused_with_the_orders(name: str) -> None:
    order = parse_order([name], FIELDS, "id", (FIELDS["id"],))
    with pytest.raises(HTTPException) as refusal:
        check_sorted(TotalEntries(SORTED_MAX + 1, SORTED_MAX + 1), order, INDEXED, "runs")
    assert refusal.value.status_code == 400
    assert "cannot be ordered by conf" in refusal.value.detail
    assert refusal.value.detail.endswith("one of: id")
    check_sorted(TotalEntries(SORTED_MAX), order, INDEXED, "runs")
    check_sorted(
        TotalEntries(10 * SORTED_MAX), parse_order(["-id", "conf"], FIELDS, "id", (FIELDS["id"],)), INDEXED, "runs"
    )


def test_a_list_is_counted_as_far_as_its_order_needs() -> None:
    asked: list[int] = []

    def count(most: int) -> int:
        asked.append(most)
        return most

    for name, most in (("id", COUNT_MAX), ("conf", SORTED_MAX)):
        order = parse_order([name], FIELDS, "id", (FIELDS["id"],))
        total = count_entries(count, 20, 10, most=find_count_limit(order, INDEXED))
        assert asked[-1] == total.total == total.limit == most + 30


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("up", HIDDEN),
        ("up.long", HIDDEN),
        ("up.", f"{HIDDEN}."),
        ("dag.up.long.", f"dag.{HIDDEN}."),
        ("backups", "backups"),
        ("team-up", "team-up"),
        ("..", ".."),
    ],
)
def test_only_whole_ids_are_hidden_and_the_longest_first(word: str, shown: str) -> None:
    assert _hide_in_word(word, {"up", "up.long"}) == shown


@pytest.mark.parametrize(
    ("offset", "size", "found", "has_more", "total"),
    [
        (0, 10, 0, False, 0),
        (0, 10, 10, False, 10),
        (20, 10, 3, False, 23),
        (20, 10, 0, False, None),
        (0, 10, 10, True, None),
        (0, 0, 0, False, None),
    ],
)
def test_a_last_page_says_how_many_entries_there_are(
    offset: int, size: int, found: int, has_more: bool, total: int | None
) -> None:
    asked: list[int] = []

    def count(most: int) -> int:
        asked.append(most)
        return 12

    assert find_total(count, offset, size, found, has_more=has_more) == TotalEntries(12 if total is None else total)
    assert bool(asked) is (total is None)
