"""What a schedule is, in words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gnomon.calendars import Weekends
from gnomon.model.sentences import render
from gnomon.queries.report.next_runs import describe_family
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import BusinessDays, CronTriggerTimetable, Daily, EventsTimetable, Hourly, Timetable, Weekly


@pytest.mark.parametrize(
    ("timetable", "words"),
    [
        (Daily("08:00"), "data intervals"),
        (Hourly(), "data intervals"),
        (BusinessDays(Weekends()), "data intervals"),
        (Daily("08:00", interval=None), "ticks without an interval"),
        (Weekly("mon", interval=timedelta(days=1)), "ticks, each with the interval before it"),
        (
            CronTriggerTimetable("0 0 * * *", timezone="UTC", interval=timedelta(days=1)),
            "ticks, each with the interval before it",
        ),
        (CronTriggerTimetable("0 0 * * *", timezone="UTC"), "ticks without an interval"),
        (EventsTimetable([]), "ticks without an interval"),
    ],
)
def test_a_period_timetable_is_about_the_time_since_the_slot_before_unless_told(
    timetable: Timetable, words: str
) -> None:
    assert render(describe_family(reference(timetable))) == words
