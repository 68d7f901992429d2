"""Runs that somebody starts by hand: due at once, about the data that the timetable infers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import PlanningError, build_manual_run_id, infer_manual_run
from gnomon.timetables import CronDataIntervalTimetable, CronTriggerTimetable, NullTimetable, reference

NOW = datetime(2024, 3, 6, 15, 30, 0, 123456, tzinfo=UTC)
TODAY = NOW.replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.mark.parametrize(
    ("timetable", "logical", "start", "end"),
    [
        (CronDataIntervalTimetable("@daily", "UTC"), None, TODAY - timedelta(days=1), TODAY),
        (
            CronDataIntervalTimetable("@daily", "UTC"),
            TODAY - timedelta(days=7),
            TODAY - timedelta(days=8),
            TODAY - timedelta(days=7),
        ),
        (CronTriggerTimetable("@daily", timezone="UTC"), None, NOW, NOW),
        (CronTriggerTimetable("@daily", timezone="UTC"), TODAY, TODAY, TODAY),
        (NullTimetable(), None, NOW, NOW),
    ],
)
def test_the_interval_is_inferred(timetable: Any, logical: datetime | None, start: datetime, end: datetime) -> None:
    spec = DagSpec(dag_id="clock", timetable=reference(timetable))
    logical_at = None if logical is None else to_instant(logical)
    run = infer_manual_run(spec, logical_at=logical_at, now=to_instant(NOW))
    assert (to_datetime(run.interval_start or 0), to_datetime(run.interval_end or 0)) == (start, end)
    assert run.run_after == to_instant(NOW)
    assert run.run_id == build_manual_run_id(to_instant(NOW)) == "manual__2024-03-06T15:30:00.123456+00:00"


def test_a_dag_of_assets_gets_the_exact_instant() -> None:
    assets = TimetableRef(path="gnomon.authoring.sdk.assets.AssetTriggeredTimetable", can_be_scheduled=False)
    run = infer_manual_run(DagSpec(dag_id="assets", timetable=assets), logical_at=None, now=to_instant(NOW))
    assert run.interval_start == run.interval_end == to_instant(NOW)


def test_an_author_class_is_not_called_outside_a_timetable_host() -> None:
    mine = TimetableRef(path="my_plugin.Workdays", builtin=False)
    with pytest.raises(PlanningError, match="an author's class only runs in a timetable host"):
        infer_manual_run(DagSpec(dag_id="mine", timetable=mine), logical_at=None, now=to_instant(NOW))
