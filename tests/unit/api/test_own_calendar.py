"""`GET /api/gnomon/v1/dags/{dag_id}/calendar`: a year of a DAG by day."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref
from gnomon.calendars import Weekends
from gnomon.timetables import CronTriggerTimetable

MINUTELY = build_timetable_ref(CronTriggerTimetable("* * * * *", timezone="UTC"))
WORKDAYS = build_timetable_ref(CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar=Weekends()))


def _days(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        day["day"]: {**day, "reason": None if day["reason"] is None else answer["reasons"][day["reason"]]}
        for day in answer["days"]
    }


def test_past_runs_and_coming_slots_are_counted_by_the_days_of_the_zone(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY))
    deployment.start()
    deployment.move(60)
    answer = api.own("/dags/hourly/calendar?year=2026&timezone=Europe/Berlin")
    days = _days(answer)
    assert len(days) == 365
    assert sum(days["2026-03-01"]["runs"].values()) == 1
    assert (days["2026-03-02"]["runs"], days["2026-03-02"]["slots"]) == ({}, 24)
    assert [days[day]["slots"] for day in ("2026-03-29", "2026-10-25")] == [23, 25]
    assert [(change["at"], change["change"]) for change in answer["clock_changes"]] == [
        ("2026-03-29T01:00:00Z", "+01:00"),
        ("2026-10-25T01:00:00Z", "-01:00"),
    ]
    assert days["2026-02-28"]["reason"].startswith("the DAG exists only since 2026-03-01")
    utc = _days(api.own("/dags/hourly/calendar?year=2026&timezone=UTC"))
    assert {day["slots"] for day in utc.values()} == {24}


def test_a_minute_schedule_is_counted_and_not_listed(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("often", timetable=MINUTELY))
    days = _days(api.own("/dags/often/calendar?year=2027"))
    assert {day["slots"] for day in days.values()} == {1440}


def test_a_day_without_a_run_says_why(api: Client, deployment: Deployment) -> None:
    deployment.add(
        spec_of(
            "workdays",
            timetable=WORKDAYS,
            start_at=deployment.home.clock.now(),
            end_at=deployment.home.clock.now() + 20 * 86_400_000_000,
        )
    )
    deployment.start()
    deployment.move(60)
    days = _days(api.own("/dags/workdays/calendar?year=2026"))
    assert days["2026-02-20"]["reason"].startswith("the day is before the start_date")
    assert days["2026-05-20"]["reason"].startswith("the day is after the end_date")
    assert (days["2026-03-07"]["reason"], days["2026-03-07"]["slots"]) == ("weekend", 0)
    assert (days["2026-03-06"]["reason"], days["2026-03-06"]["slots"]) == (None, 1)
    api.send("PATCH", "/dags/workdays", {"is_paused": True})
    answer = api.own("/dags/workdays/calendar?year=2026")
    assert "is paused" in answer["notes"][0]


def test_a_dag_without_times_says_how_its_runs_come(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("manual"))
    answer = api.own("/dags/manual/calendar")
    assert (answer["year"], answer["today"]) == (2026, "2026-03-01")
    assert "manually only" in answer["notes"][0]
    assert {day["slots"] for day in answer["days"]} == {None}


@pytest.mark.parametrize(
    ("query", "status"),
    [("year=soon", 422), ("year=1900", 422), ("year=99999", 422), ("timezone=Mars/Base", 400), ("timezone=%00", 400)],
)
def test_a_wrong_question_is_refused(api: Client, deployment: Deployment, query: str, status: int) -> None:
    deployment.add(spec_of("manual"))
    assert api.own(f"/dags/manual/calendar?{query}", status)["detail"]
    api.own("/dags/unknown/calendar", 404)
