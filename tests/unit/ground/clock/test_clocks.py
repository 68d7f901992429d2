"""Clocks."""

from __future__ import annotations

import pytest

from gnomon.ground.clock import SystemClock, VirtualClock


def test_a_virtual_clock_moves_only_when_told() -> None:
    clock = VirtualClock(1_000_000)
    assert (clock.now(), clock.monotonic()) == (1_000_000, 0.0)
    clock.advance(1.5)
    assert (clock.now(), clock.monotonic()) == (2_500_000, 1.5)
    clock.advance_to(4_000_000)
    assert (clock.now(), clock.monotonic()) == (4_000_000, 3.0)


def test_time_does_not_run_backwards() -> None:
    clock = VirtualClock(10)
    with pytest.raises(ValueError, match="cannot go back from 10 to 9"):
        clock.advance_to(9)


@pytest.mark.parametrize("seconds", [-3600.0, 3600.0])
def test_a_step_of_the_wall_clock_takes_no_time(seconds: float) -> None:
    clock = VirtualClock(10_000_000_000)
    clock.step(seconds)
    assert clock.now() == 10_000_000_000 + seconds * 1_000_000
    assert clock.monotonic() == 0.0
    clock.advance(2)
    assert clock.monotonic() == 2.0


def test_the_system_clock_counts_microseconds_since_1970() -> None:
    clock = SystemClock()
    assert clock.now() > 1_700_000_000_000_000
    assert clock.monotonic() <= clock.monotonic()
