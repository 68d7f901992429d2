"""Which tasks wait for the world."""

from __future__ import annotations

import pytest

from gnomon.rules.durations.arrivals import is_arrival

pytestmark = pytest.mark.pure


def test_a_file_that_comes_at_the_same_time_each_day_is_an_arrival_however_late_the_sensor_began() -> None:
    ends_s = [7_980.0, 8_020.0, 8_000.0, 8_060.0]
    durations_s = [8_000.0, 4_000.0, 1_000.0, 6_000.0]
    assert is_arrival(durations_s, ends_s, is_sensor=True)
    assert is_arrival(durations_s, ends_s, is_sensor=False)


def test_a_job_that_takes_as_long_whenever_it_begins_is_none() -> None:
    durations_s = [600.0, 610.0, 590.0, 605.0]
    ends_s = [600.0, 4_000.0, 9_000.0, 2_000.0]
    assert not is_arrival(durations_s, ends_s, is_sensor=True)
    assert not is_arrival(durations_s, ends_s, is_sensor=False)


def test_where_both_say_the_same_a_sensor_waits_for_the_world_and_a_job_does_not() -> None:
    spans_s = [600.0, 700.0, 650.0, 800.0]
    assert is_arrival(spans_s, [span + 5.0 for span in spans_s], is_sensor=True)
    assert not is_arrival(spans_s, [span + 5.0 for span in spans_s], is_sensor=False)


def test_two_runs_say_nothing() -> None:
    assert not is_arrival([1.0, 2.0], [1.0, 1.0], is_sensor=True)
