"""Plans on a business calendar: up to its end, not beyond, and asked anew when its library is another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.calendars import Country, Dates, Weekends
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.slots import Cursor
from gnomon.model.spec import DagSpec
from gnomon.rules.calendars import country
from gnomon.rules.planning import Plan, PlanningError, compute_fingerprint, plan_runs
from gnomon.rules.planning.forecast import list_upcoming_runs
from gnomon.timetables import BuiltinTimetable, BusinessDays, CronTriggerTimetable, reference

OWN = Weekends() | Dates(["2026-12-25"], source="closed.csv")
DAILY = CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar=OWN)
DAY = timedelta(days=1)


def _spec(timetable: BuiltinTimetable, catchup: bool = True) -> DagSpec:
    return DagSpec(
        dag_id="reports",
        timetable=reference(timetable),
        start_at=to_instant(datetime(2026, 12, 1, tzinfo=UTC)),
        catchup=catchup,
    )


def _plan(timetable: BuiltinTimetable, cursor: Cursor | None, now: datetime, catchup: bool = True, **more: Any) -> Plan:
    return plan_runs(
        dag=_spec(timetable, catchup),
        timetable=timetable,
        cursor=cursor,
        now=to_instant(now),
        max_new_runs=16,
        has_unfinished_runs=False,
        **more,
    )


def _after(run: Any) -> Cursor:
    return Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)


@pytest.mark.parametrize("catchup", [True, False])
@pytest.mark.parametrize("late", [timedelta(), timedelta(hours=3), timedelta(days=3)])
def test_the_last_known_run_is_planned_and_the_error_follows_it(catchup: bool, late: timedelta) -> None:
    eve = datetime(2026, 12, 30, 6, tzinfo=UTC)
    cursor = Cursor(run_after=to_instant(eve), interval_start=to_instant(eve), interval_end=to_instant(eve))
    promised = _plan(DAILY, cursor, eve + timedelta(minutes=1), catchup)
    assert promised.next_run is not None and to_datetime(promised.next_run.run_after) == eve + DAY
    plan = _plan(DAILY, cursor, eve + DAY + late, catchup, promised_run=promised.next_run)
    assert plan.runs == (promised.next_run,)
    assert (plan.cursor, plan.next_run) == (_after(promised.next_run), None)
    assert (
        plan.error is not None
        and "calendar weekdays | closed.csv does not know whether 2027-01-01 is a business day" in plan.error
    )
    with pytest.raises(
        PlanningError, match=r"the list of dates in closed.csv ends on 2026-12-31; add the days off that are missing"
    ):
        _plan(DAILY, plan.cursor, eve + 2 * DAY, catchup)


def test_coming_runs_are_shown_up_to_the_end() -> None:
    now = datetime(2026, 12, 24, 7, tzinfo=UTC)
    cursor = Cursor(run_after=to_instant(now) - 1, interval_start=to_instant(now) - 1, interval_end=to_instant(now) - 1)
    found = list_upcoming_runs(dag=_spec(DAILY), timetable=DAILY, cursor=cursor, now=to_instant(now), count=9)
    assert [to_datetime(run.run_after).day for run in found] == [28, 29, 30, 31]


def test_another_release_of_the_holiday_library_changes_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    on_country, on_own, plain = (
        _spec(BusinessDays(Country("US") | OWN)),
        _spec(DAILY),
        _spec(CronTriggerTimetable("0 6 * * *", timezone="UTC")),
    )
    before = [compute_fingerprint(spec.timetable, spec) for spec in (on_country, on_own, plain)]
    monkeypatch.setattr(country, "library_version", lambda: "9999.1")
    after = [compute_fingerprint(spec.timetable, spec) for spec in (on_country, on_own, plain)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True, True]


def test_another_definition_of_a_named_calendar_changes_the_fingerprint() -> None:
    marks = {
        compute_fingerprint(spec.timetable, spec)
        for spec in (_spec(BusinessDays(OWN)), _spec(BusinessDays(OWN.working(["2026-12-05"]))))
    }
    assert len(marks) == 2
