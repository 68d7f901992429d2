"""Times as people type them, in the zone in which they see times."""

from __future__ import annotations

import time
from collections.abc import Iterator

import click
import pytest

from gnomon.entry.cli.past_times import PastTimeType, SecondsType
from gnomon.model.instants import iso

pytestmark = pytest.mark.pure

NOW = 1_772_355_600_000_000
"""2026-03-01T09:00:00Z"""


@pytest.fixture(autouse=True)
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "utc", "instant"),
    [
        ("today", False, "2026-02-28T23:00:00"),
        ("today", True, "2026-03-01T00:00:00"),
        ("Yesterday", False, "2026-02-27T23:00:00"),
        ("2h", False, "2026-03-01T07:00:00"),
        ("90m", True, "2026-03-01T07:30:00"),
        ("1.5h", True, "2026-03-01T07:30:00"),
        ("7d", False, "2026-02-22T09:00:00"),
        ("2h ago", False, "2026-03-01T07:00:00"),
        ("2026-02-01", False, "2026-01-31T23:00:00"),
        ("2026-02-01", True, "2026-02-01T00:00:00"),
        ("2026-07-01T06:00", False, "2026-07-01T04:00:00"),
        ("2026-02-01T06:00+05:00", False, "2026-02-01T01:00:00"),
    ],
)
def test_a_time_in_the_past(text: str, utc: bool, instant: str) -> None:
    assert iso(PastTimeType().convert(text, None, None).resolve(NOW, utc)) == f"{instant}.000000+00:00"


def test_midnight_is_that_of_the_day_also_where_the_clock_changed_since() -> None:
    after_the_change = 1_774_857_600_000_000  # 2026-03-30T08:00:00Z; summer time began on the 29th
    assert (
        iso(PastTimeType().convert("yesterday", None, None).resolve(after_the_change, False))
        == "2026-03-28T23:00:00.000000+00:00"
    )


@pytest.mark.parametrize("text", ["tuesday", "", "2x", "-2h", "2026-13-01"])
def test_another_text_is_wrong_usage_with_examples(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write today, yesterday, 90m, 2h"):
        PastTimeType().convert(text, None, None)


def test_a_span_before_the_calendar_is_wrong_usage() -> None:
    with pytest.raises(click.BadParameter, match="before the year 1"):
        PastTimeType().convert("999999999w", None, None).resolve(NOW, True)


@pytest.mark.parametrize(
    ("text", "seconds"), [("30", 30), ("30s", 30), ("5m", 300), ("0.5h", 1800), ("1 h", 3600), ("0", 0)]
)
def test_a_length_of_time(text: str, seconds: float) -> None:
    assert SecondsType().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["soon", "-5", "nan", "inf", "5 fortnights"])
def test_another_length_is_wrong_usage(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write 30s, 5m or 2h"):
        SecondsType().convert(text, None, None)
