"""No two runs of a trigger timetable share a logical date, however short the months before them are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta
from tests.unit.rules.timetables.made import walk

from gnomon.model.slots import TimeRestriction
from gnomon.timetables import CronTriggerTimetable, DeltaTriggerTimetable, MultipleCronTriggerTimetable

MONTH = relativedelta(months=1)
LATE_MARCH = datetime(2025, 3, 27, tzinfo=UTC)


@pytest.mark.parametrize(
    "timetable",
    [
        CronTriggerTimetable("0 0 * * *", timezone="UTC", interval=MONTH),
        MultipleCronTriggerTimetable("15 22 * * *", "15 0 * * *", timezone="UTC", interval=MONTH),
        DeltaTriggerTimetable(relativedelta(days=1, hours=3), interval=MONTH),
    ],
    ids=lambda timetable: type(timetable).__name__,
)
def test_each_interval_begins_after_the_one_before(timetable: Any) -> None:
    runs = walk(timetable, TimeRestriction(LATE_MARCH, None, True), LATE_MARCH, 12)
    starts = [run.data_interval.start for run in runs if run.data_interval is not None]
    assert starts == sorted(set(starts))
    assert all(run.data_interval is not None and run.data_interval.end == run.run_after for run in runs)
    assert all(start - (run.run_after - MONTH) < timedelta(days=1) for start, run in zip(starts, runs, strict=True))


def test_only_a_start_that_would_repeat_is_moved() -> None:
    timetable = CronTriggerTimetable("0 0 * * *", timezone="UTC", interval=MONTH)
    runs = walk(timetable, TimeRestriction(LATE_MARCH, None, True), LATE_MARCH, 7)
    moment = timedelta(microseconds=1)
    february = datetime(2025, 2, 28, tzinfo=UTC)
    assert [run.logical_date for run in runs] == [
        february - timedelta(days=1),
        february,
        february + moment,
        february + 2 * moment,
        february + 3 * moment,
        datetime(2025, 3, 1, tzinfo=UTC),
        datetime(2025, 3, 2, tzinfo=UTC),
    ]
