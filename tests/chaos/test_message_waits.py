"""The measure of the waits: what it must find, and what it must not."""

from __future__ import annotations

import pytest
from tests.chaos.message_waits import Span, find_longest_wait

LIVE = {"a": [Span(0, 100)], "b": [Span(0, 100)]}


@pytest.mark.pure
@pytest.mark.parametrize(
    ("waits", "busy", "live", "longest"),
    [
        (
            {"t": Span(10, 15)},
            {"a": [Span(0, 50), Span(5, 50)], "b": [Span(0, 50), Span(9, 50)]},
            LIVE,
            (0.0, ""),
        ),  # all slots are used
        (
            {"t": Span(10, 15)},
            {"a": [Span(0, 50), Span(5, 50)], "b": [Span(0, 50)]},
            LIVE,
            (5.0, "t"),
        ),  # behind a busy worker, beside a free slot
        (
            {"t": Span(10, 15)},
            {"a": [Span(0, 50), Span(5, 50)], "b": [Span(0, 50), Span(0, 12)]},
            LIVE,
            (3.0, "t"),
        ),  # the slot became free while it waited
        (
            {"t": Span(10, 15)},
            {"a": [Span(0, 50)] * 2, "b": []},
            {"a": [Span(0, 100)], "b": [Span(0, 11), Span(14, 100)]},
            (1.0, "t"),
        ),  # the idle one was dead meanwhile
        ({"t": Span(10, 15), "u": Span(20, 29)}, {"a": [Span(0, 50)] * 2, "b": [Span(0, 50)]}, LIVE, (9.0, "u")),
        ({"t": Span(10, 15)}, {}, {}, (0.0, "")),
        (
            {"t": Span(10, 16)},
            {"b": [Span(0, 11), Span(12, 20)] * 2, "a": [Span(0, 50)] * 2},
            LIVE,
            (1.0, "t"),
        ),  # taken again by another attempt
        (
            {"t": Span(10, 20)},
            {"b": [Span(0, 12), Span(0, 50), Span(12, 20)], "a": [Span(0, 50)] * 2},
            LIVE,
            (0.0, ""),
        ),  # one followed at once
    ],
)
def test_the_longest_wait_beside_a_free_slot_is_found(
    waits: dict[str, Span], busy: dict[str, list[Span]], live: dict[str, list[Span]], longest: tuple[float, str]
) -> None:
    assert find_longest_wait(waits, busy, live, 2) == longest
