"""`date_range` and `round_time` of Airflow 2."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from gnomon.airflow_compat.date_ranges import date_range, round_time

UTC = dt.UTC
DAY = dt.timedelta(days=1)


def day(number: int, hour: int = 0, zone: dt.tzinfo = UTC) -> dt.datetime:
    return dt.datetime(2016, 1, number, hour, tzinfo=zone)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"end_date": day(3), "delta": DAY}, [day(1), day(2), day(3)]),
        ({"num": 3, "delta": DAY}, [day(1), day(2), day(3)]),
        ({"num": 3, "delta": "0 0 * * *"}, [day(1), day(2), day(3)]),
        ({"num": 2, "delta": 86400}, [day(1), day(2)]),
        ({"end_date": day(2, 12), "delta": "0 12 * * *"}, [day(1, 12), day(2, 12)]),
        ({"num": 2, "delta": None}, []),
    ],
)
def test_a_range_has_the_moments_that_the_delta_selects(
    arguments: dict[str, object], expected: list[dt.datetime]
) -> None:
    assert date_range(day(1), **arguments) == expected  # type: ignore[arg-type]


def test_a_negative_number_counts_backwards() -> None:
    assert date_range(day(3), num=-3, delta=DAY) == [day(1), day(2), day(3)]
    assert date_range(day(3), num=-2, delta="0 0 * * *") == [day(2), day(3)]


def test_a_range_keeps_the_wall_time_of_its_zone() -> None:
    zone = ZoneInfo("Europe/Zurich")
    begin = dt.datetime(2024, 3, 30, tzinfo=zone)
    assert [moment.hour for moment in date_range(begin, num=3, delta=DAY)] == [0, 0, 0]


def test_what_makes_no_range_is_refused() -> None:
    with pytest.raises(ValueError, match="is after end_date"):
        date_range(day(2), day(1), delta=DAY)
    with pytest.raises(ValueError, match="end_date or num, not both"):
        date_range(day(1), day(2), num=1, delta=DAY)
    with pytest.raises(TypeError, match="delta must be a timedelta"):
        date_range(day(1), num=1, delta=[1])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("moment", "delta", "start", "expected"),
    [
        (dt.datetime(2015, 1, 1, 6), DAY, dt.datetime(2015, 1, 1), dt.datetime(2015, 1, 1)),
        (dt.datetime(2015, 1, 2), DAY, dt.datetime(2015, 1, 1), dt.datetime(2015, 1, 2)),
        (dt.datetime(2015, 9, 16), DAY, dt.datetime(2015, 9, 14), dt.datetime(2015, 9, 16)),
        (dt.datetime(2015, 9, 13, 18), DAY, dt.datetime(2015, 9, 13), dt.datetime(2015, 9, 14)),
        (dt.datetime(2015, 1, 1, 6), "0 0 1 * *", dt.datetime(2014, 12, 2), dt.datetime(2015, 1, 1)),
    ],
)
def test_a_moment_is_rounded_to_the_nearest_selected_one(
    moment: dt.datetime, delta: str | dt.timedelta, start: dt.datetime, expected: dt.datetime
) -> None:
    assert round_time(moment, delta, start) == expected
