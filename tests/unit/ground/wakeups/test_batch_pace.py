"""A busy process waits before its next commit or request, and one that is not busy does not."""

from __future__ import annotations

import pytest

from gnomon.ground.wakeups import BatchPace
from gnomon.ground.wakeups.batch_pace import SHARE

WINDOW_S, PACED_A_SECOND, WAIT_MAX_S = 0.1, 100.0, 0.01
PACED_ENDS = int(PACED_A_SECOND * WINDOW_S)


def create() -> BatchPace:
    return BatchPace(WINDOW_S, PACED_A_SECOND, WAIT_MAX_S)


def paced(ends: int) -> tuple[BatchPace, float]:
    """The pace after one window in which so many attempts ended, and the instant."""
    pace, at = create(), 100.0
    pace.record(0, at)
    for _ in range(ends):
        at += WINDOW_S / ends
        pace.record(1, at)
    pace.record(0, at + 1e-6)
    return pace, at


@pytest.mark.parametrize(("ends", "waits"), [(0, False), (PACED_ENDS - 1, False), (PACED_ENDS + 2, True), (100, True)])
def test_rounds_are_paced_from_a_rate_on(ends: int, waits: bool) -> None:
    if not ends:
        assert create().find_wait_s(8, 100.0, 100.0) == 0
        return
    pace, at = paced(ends)
    assert (pace.find_wait_s(8, at, at) > 0) is waits


def test_a_wait_is_bounded_and_counts_from_an_instant() -> None:
    pace, at = paced(20)
    assert pace.find_wait_s(1000, at, at) == pytest.approx(WAIT_MAX_S)
    assert pace.find_wait_s(1000, at, at + WAIT_MAX_S / 2) == pytest.approx(WAIT_MAX_S / 2)
    assert pace.find_wait_s(1000, at, at + 2 * WAIT_MAX_S) == 0


def test_few_slots_wait_for_less_than_the_time_of_an_attempt() -> None:
    pace, at = paced(100)  # 1000 a second: with 8 live attempts each takes 8 ms
    assert pace.find_wait_s(8, at, at) == pytest.approx(SHARE * 8 / 1000, rel=0.1)


def test_many_ends_of_one_round_after_a_long_time_are_no_rate() -> None:
    pace = create()
    pace.record(0, 100.0)
    pace.record(50, 100.01)
    pace.record(1, 105.0)
    assert pace.find_wait_s(8, 105.0, 105.0) == 0


def test_the_pace_ends_when_no_more_attempts_end() -> None:
    pace, at = paced(100)
    assert pace.find_wait_s(8, at + 3 * WINDOW_S, at + 3 * WINDOW_S) == 0
    pace.record(1, at + 4 * WINDOW_S)
    assert pace.find_wait_s(8, at + 4 * WINDOW_S, at + 4 * WINDOW_S) == 0
