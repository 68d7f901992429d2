"""The due times of baselines: local times, weekdays, days later, and clock changes."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.sentences import render
from gnomon.rules.baselines.due_times import describe_clock_change, iterate_due_times
from gnomon.rules.calendars.fixed_calendars import Dates


def _list(spec: BaselineSpec, start: str, end: str) -> list[str]:
    times = iterate_due_times(spec, _at(start), _at(end))
    return [to_datetime(time.due_at).strftime("%Y-%m-%dT%H:%M") for time in times]


def _at(text: str) -> int:
    return to_instant(datetime.fromisoformat(text).replace(tzinfo=UTC))


def test_each_day_has_one_due_time_and_the_slots_of_that_day_before_it() -> None:
    spec = BaselineSpec(name="b", of=("report",), by="07:00", timezone="Europe/Berlin")
    (time,) = iterate_due_times(spec, _at("2026-03-02"), _at("2026-03-03"))
    assert time.due_at == time.end == _at("2026-03-02T06:00")
    assert time.begin == _at("2026-03-01T23:00")


def test_a_due_time_of_the_next_day_is_about_all_slots_of_the_day_before() -> None:
    spec = BaselineSpec(name="b", of=("report",), by="01:30", days=1)
    (time,) = iterate_due_times(spec, _at("2026-03-02"), _at("2026-03-03"))
    assert (time.begin, time.end, time.due_at) == (_at("2026-03-01"), _at("2026-03-02"), _at("2026-03-02T01:30"))


def test_weekdays_are_those_of_the_runs() -> None:
    spec = BaselineSpec(name="b", of=("report",), by="01:00", days=1, weekdays=(4,))
    assert _list(spec, "2026-03-02", "2026-03-16") == ["2026-03-07T01:00", "2026-03-14T01:00"]


@pytest.mark.parametrize(
    ("by", "day", "due"),
    [
        ("02:30", "2026-03-29", "2026-03-29T01:30"),  # skipped: as long after the change as it would have been
        ("02:30", "2026-10-25", "2026-10-25T00:30"),  # twice: the first
        ("03:30", "2026-03-29", "2026-03-29T01:30"),
        ("03:30", "2026-10-25", "2026-10-25T02:30"),
    ],
)
def test_a_local_time_that_a_clock_change_skips_or_repeats_has_one_due_time(by: str, day: str, due: str) -> None:
    spec = BaselineSpec(name="b", of=("report",), by=by, timezone="Europe/Berlin")
    assert due in _list(spec, day, f"{day}T23:00")
    assert len(_list(spec, day, f"{day}T20:00")) == 1


def test_a_year_in_any_zone_has_as_many_due_times_as_days_and_they_lie_apart() -> None:
    for zone in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe"):
        spec = BaselineSpec(name="b", of=("report",), by="02:15", timezone=zone)
        times = [time.due_at for time in iterate_due_times(spec, _at("2026-01-01"), _at("2027-01-01"))]
        assert len(times) == 365
        assert all(22.9 * 3600 <= (later - earlier) / 1e6 <= 25.1 * 3600 for earlier, later in pairwise(times))


def test_it_holds_on_business_days_of_its_calendar_and_on_days_that_this_does_not_cover() -> None:
    spec = BaselineSpec(name="b", of=("report",), by="01:00", days=1, calendar="work")
    calendar = Dates(["2026-03-03"], since="2026-03-02", until="2026-03-04")
    times = iterate_due_times(spec, _at("2026-03-02"), _at("2026-03-08"), calendar)
    days = [to_datetime(time.begin).day for time in times]
    assert days == [1, 2, 4, 5, 6]


@pytest.mark.parametrize(
    ("by", "day", "code", "at"),
    [
        ("02:30", "2026-03-29", "due_time_is_skipped", "2026-03-29T01:30"),
        ("02:30", "2026-10-25", "due_time_comes_twice", "2026-10-25T00:30"),
        ("02:30", "2026-03-28", None, ""),
        ("07:00", "2026-03-29", None, ""),
    ],
)
def test_a_clock_change_that_skips_or_repeats_the_local_time_is_said(
    by: str, day: str, code: str | None, at: str
) -> None:
    spec = BaselineSpec(name="b", of=("report",), by=by, timezone="Europe/Berlin")
    (time,) = iterate_due_times(spec, _at(day), _at(day) + 86_400_000_000)
    sentence = describe_clock_change(spec, time.due_at)
    assert (None if sentence is None else sentence.code) == code
    assert sentence is None or (at in render(sentence) and time.due_at == _at(at))
