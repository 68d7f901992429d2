"""`airflow.example_dags.plugins.workday.AfterWorkdayTimetable`, ours: as Airflow answered, and stored as an author's class."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine

from gnomon.loading import dialect
from gnomon.loading.timetables import made_again
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.slots import Cursor, TimeRestriction
from gnomon.planning import manual_run
from gnomon.planning.asking import ask_next
from gnomon.timetables import reference

DATA = Path(__file__).parents[2] / "conformance" / "data" / "timetables.jsonl"
CASES = [case for case in map(json.loads, DATA.read_text().splitlines()) if case["timetable"]["class"] == "AfterWorkdayTimetable"]


def _made() -> Any:
    dialect.enable()
    from airflow.example_dags.plugins.workday import AfterWorkdayTimetable

    return AfterWorkdayTimetable()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_it_answers_as_in_airflow(case: dict[str, Any]) -> None:
    made = _made()
    assert _walk(made, case) == case["expect"]
    assert _walk(made_again(reference(made)), case) == case["expect"]


def test_it_is_stored_as_an_authors_class_under_airflows_path() -> None:
    ref = reference(_made())
    assert (ref.path, ref.builtin) == ("airflow.example_dags.plugins.workday.AfterWorkdayTimetable", False)


@pytest.mark.parametrize(
    ("moment", "covers"),
    [
        ("2024-03-10T09:00:00+00:00", "2024-03-08"),
        ("2024-03-11T09:00:00+00:00", "2024-03-08"),
        ("2024-07-05T09:00:00+00:00", "2024-07-03"),
        ("2024-03-13T00:00:00+00:00", "2024-03-12"),
    ],
    ids=["on a Sunday", "on a Monday", "the day after a holiday", "at midnight"],
)
def test_a_run_by_hand_is_about_the_last_complete_workday(moment: str, covers: str) -> None:
    run = manual_run(_made(), None, to_instant(datetime.fromisoformat(moment)))
    assert run.interval_start is not None and run.interval_end is not None
    assert to_datetime(run.interval_start).isoformat() == f"{covers}T00:00:00+00:00"
    assert run.interval_end - run.interval_start == 24 * 3600 * 1_000_000


def test_fridays_run_is_made_on_saturday_and_holidays_have_none() -> None:
    made, last, days = _made(), None, []
    restriction = TimeRestriction(datetime(2024, 7, 2, tzinfo=UTC), datetime(2024, 7, 9, tzinfo=UTC), True)
    while (run := ask_next(made, last, restriction, 0)) is not None:
        last = Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)
        days.append(to_datetime(run.run_after).day)
    assert days == [3, 4, 6, 9, 10]


def test_the_plugin_registers_it() -> None:
    made = _made()
    from airflow.example_dags.plugins.workday import WorkdayTimetablePlugin

    assert WorkdayTimetablePlugin.timetables == [type(made)]


def _walk(made: Any, case: dict[str, Any]) -> list[dict[str, str] | None]:
    bounds, now = case["restriction"], datetime.fromisoformat(case["now"])
    restriction = TimeRestriction(_moment(bounds["earliest"]), _moment(bounds["latest"]), bounds["catchup"])
    answers: list[dict[str, str] | None] = []
    last: Cursor | None = None
    with time_machine.travel(now, tick=False):
        for _ in range(6):
            run = ask_next(made, last, restriction, to_instant(now))
            if run is None:
                return [*answers, None]
            last = Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)
            answers.append({"run_after": _iso(run.run_after), "start": _iso(run.interval_start), "end": _iso(run.interval_end)})
    return answers


def _iso(instant: int | None) -> str:
    assert instant is not None
    return to_datetime(instant).isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
