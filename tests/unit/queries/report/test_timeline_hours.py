"""The hours of the time line of all DAGs begin with those of the reader's zone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gnomon.model.instants import SECOND, to_datetime, to_instant
from gnomon.queries.report.activity.run_timeline import HOUR, TimelineRequest

NOW = datetime(2026, 3, 1, 10, 50, tzinfo=UTC)


@pytest.mark.parametrize(("minutes", "first"), [(0, "04:00"), (45, "04:15"), (30, "04:30"), (5, "03:55")])
def test_the_first_hour_begins_with_an_hour_of_the_zone(minutes: int, first: str) -> None:
    request = TimelineRequest(to_instant(NOW), 6, 24, "tag", 12, 20, ahead=minutes * 60 * SECOND)
    assert to_datetime(request.since).strftime("%H:%M") == first
    assert 0 <= request.now - request.since - 6 * HOUR < HOUR
    assert (request.until - request.since) == 31 * HOUR
