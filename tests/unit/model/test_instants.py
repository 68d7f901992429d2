"""Every computed instant fits into a column of both databases and can be shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from gnomon.model.instants import (
    EARLIEST,
    LATEST,
    SECOND,
    add_seconds,
    add_span,
    clamp,
    iso,
    to_datetime,
    to_instant,
    to_units,
)

NOW = 1_772_355_600 * SECOND
SPANS = (
    timedelta.max.total_seconds(),
    timedelta.min.total_seconds(),
    0.0,
    -1.0,
    1.5,
    1e18,
    -1e18,
    1e308,
    -1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    2**63,
    -(2**63),
    2**70,
    10**300,
)
INSTANTS = (EARLIEST, LATEST, NOW, 0, -(2**63), 2**63 - 1, 2**63, -(2**70), 2**70)


@pytest.mark.parametrize("instant", INSTANTS)
@pytest.mark.parametrize("seconds", SPANS)
def test_every_span_after_every_instant_is_an_instant(instant: int, seconds: float) -> None:
    at = add_seconds(instant, seconds)
    assert EARLIEST <= at <= LATEST
    assert -(2**63) <= to_units(seconds) < 2**63


def test_the_longest_span_means_never() -> None:
    assert add_seconds(NOW, timedelta.max.total_seconds()) == LATEST
    assert add_seconds(NOW, timedelta.min.total_seconds()) == EARLIEST
    assert add_seconds(NOW, 1.5) == NOW + 1_500_000
    assert add_span(datetime(2026, 1, 1, tzinfo=UTC), timedelta.max) == to_datetime(LATEST)
    assert add_span(datetime(2026, 1, 1, tzinfo=UTC), timedelta.min) == to_datetime(EARLIEST)


@pytest.mark.parametrize("instant", INSTANTS)
def test_every_number_can_be_shown_in_every_zone(instant: int) -> None:
    for zone in (
        UTC,
        ZoneInfo("Pacific/Kiritimati"),
        ZoneInfo("Etc/GMT+12"),
        timezone(timedelta(hours=23, minutes=59)),
        timezone(-timedelta(hours=23, minutes=59)),
    ):
        assert to_datetime(clamp(instant)).astimezone(zone) is not None
    assert iso(instant) is not None


@pytest.mark.parametrize(
    "moment",
    [
        datetime.max.replace(tzinfo=UTC),
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=timezone(-timedelta(hours=14))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    ],
)
def test_the_ends_of_the_calendar_are_instants(moment: datetime) -> None:
    assert to_instant(moment) in (EARLIEST, LATEST)
    assert to_datetime(to_instant(moment)).year in (1, 9999)
