"""Every timetable tells how fine it is: period timetables by their class, crons by their fields, spans by length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta

from gnomon.calendars import Weekends
from gnomon.timetables import (
    BuiltinTimetable,
    BusinessDays,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    Daily,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    DiscreteHours,
    EventsTimetable,
    Hourly,
    Minutely,
    Monthly,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
    Weekly,
)


@pytest.mark.parametrize(
    ("cron", "kind"),
    [
        ("* * * * *", "minute"),
        ("*/30 9 * * *", "minute"),
        ("0,30 * * * *", "minute"),
        ("0 0 * * * 0,30", "minute"),
        ("@hourly", "hour"),
        ("0 * * * mon", "hour"),
        ("0 */6 * * *", "hour"),
        ("0 9-17 * * *", "hour"),
        ("0 9-17/2 * * *", "hour"),
        ("0 2/6 * * *", "hour"),
        ("0 2,5,15 * * *", "discrete_hours"),
        ("0 1-3,8 * * 1", "discrete_hours"),
        ("0 2 * * *", "day"),
        ("@midnight", "day"),
        ("0 2 * 6 *", "day"),
        ("0 2 1 * *", "month"),
        ("0 2 L * *", "month"),
        ("0 2 15W * *", "month"),
        ("0 2 1 * mon", "month"),
        ("0 2 * * mon#2", "month"),
        ("@quarterly", "month"),
        ("0 2 * * 1-5", "week"),
        ("@weekly", "week"),
    ],
)
def test_a_cron_is_read_from_its_fields(cron: str, kind: str) -> None:
    assert CronTriggerTimetable(cron, timezone="UTC").granularity == kind
    assert CronDataIntervalTimetable(cron, "Europe/Berlin").granularity == kind


@pytest.mark.parametrize(
    ("crons", "kind"),
    [
        (("0 2 * * *",), "day"),
        (("0 2 * * *", "0 5 * * *"), "discrete_hours"),
        (("0 2 * * *", "30 2 * * *"), "minute"),
        (("0 2 * * *", "0 */6 * * *"), "hour"),
        (("0 2 * * 1", "0 2 1 * *"), "week"),
        (("0 2 * * 1", "*/5 2 1 * *"), "minute"),
    ],
)
def test_several_crons_are_as_fine_as_together(crons: tuple[str, ...], kind: str) -> None:
    assert MultipleCronTriggerTimetable(*crons, timezone="UTC").granularity == kind


@pytest.mark.parametrize(
    ("span", "kind"),
    [
        (timedelta(minutes=59), "minute"),
        (timedelta(hours=1), "hour"),
        (timedelta(hours=23), "hour"),
        (timedelta(days=1), "day"),
        (timedelta(days=6), "day"),
        (timedelta(weeks=1), "week"),
        (timedelta(weeks=4), "month"),
        (relativedelta(days=1), "day"),
        (relativedelta(months=1), "month"),
    ],
)
def test_a_span_is_judged_by_its_length(span: Any, kind: str) -> None:
    assert DeltaTriggerTimetable(span).granularity == kind
    assert DeltaDataIntervalTimetable(span).granularity == kind


@pytest.mark.parametrize(
    ("timetable", "kind"),
    [
        (Minutely(), "minute"),
        (Hourly(), "hour"),
        (DiscreteHours([2]), "discrete_hours"),
        (Daily(), "day"),
        (Weekly("mon"), "week"),
        (Monthly(1), "month"),
        (BusinessDays(Weekends()), "day"),
        (BusinessDays(Weekends(), nth=1, of="week"), "week"),
        (BusinessDays(Weekends(), nth=-1, of="quarter"), "month"),
        (OnceTimetable(), None),
        (ContinuousTimetable(), None),
        (NullTimetable(), None),
        (EventsTimetable([datetime(2024, 1, 1, tzinfo=UTC)]), None),
    ],
)
def test_the_others_are_what_they_are(timetable: BuiltinTimetable, kind: str | None) -> None:
    assert timetable.granularity == kind


def test_an_author_may_declare_it() -> None:
    class Shifts(Timetable):
        granularity = "discrete_hours"

    assert Shifts().granularity == "discrete_hours"
    assert Timetable.granularity is None
