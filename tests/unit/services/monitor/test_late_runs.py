"""When a run is late: by the time of day in a zone, by a span, by the percentile."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gnomon.model.instants import to_datetime, to_instant
from gnomon.queries.report.activity.usual_duration import compute_p95
from gnomon.services.monitor.late_runs import compute_due, round_duration

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("run_after", "by", "zone", "due"),
    [
        ("2026-03-01T05:00", "07:30", "UTC", "2026-03-01T07:30"),
        ("2026-03-01T08:00", "07:30", "UTC", "2026-03-02T07:30"),
        ("2026-03-01T07:30", "07:30", "UTC", "2026-03-01T07:30"),
        ("2026-07-01T05:00", "07:30", "Europe/Zurich", "2026-07-01T05:30"),
        ("2026-03-28T23:30", "02:30", "Europe/Zurich", "2026-03-29T01:30"),  # the night in which 02:30 is skipped
        ("2026-02-28T23:00", "01:00", "UTC", "2026-03-01T01:00"),
        ("2026-12-31T23:59", "00:00", "UTC", "2027-01-01T00:00"),
    ],
)
def test_a_run_is_due_at_the_first_such_time_after_its_planned_time(
    run_after: str, by: str, zone: str, due: str
) -> None:
    found = compute_due(to_instant(datetime.fromisoformat(run_after).replace(tzinfo=UTC)), by, zone)
    assert to_datetime(found) == datetime.fromisoformat(due).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ([], None),
        ([1] * 4, None),
        ([5, 1, 4, 2, 3], 5),
        (list(range(1, 31)), 29),
        (list(range(1, 21)), 19),
    ],
)
def test_the_percentile_is_the_nearest_rank(durations: list[int], expected: int | None) -> None:
    assert compute_p95(durations) == expected


@pytest.mark.parametrize(("seconds", "rounded"), [(0.44, 0.4), (45.6, 46), (-1.0, 0.0), (7500.2, 7500)])
def test_durations_are_said_in_whole_seconds_or_tenths_of_one(seconds: float, rounded: float) -> None:
    assert round_duration(seconds) == rounded
