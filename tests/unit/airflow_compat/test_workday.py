"""`airflow.example_dags.plugins.workday.AfterWorkdayTimetable`, ours: as Airflow answered, and stored as an author's class."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.conformance.workdays import BY_HAND, CASES, assert_answers, assert_covers

from gnomon.author_code.loading import dialect
from gnomon.model.instants import to_datetime
from gnomon.model.slots import Cursor, TimeRestriction
from gnomon.rules.planning.queries import ask_next
from gnomon.timetables import reference


def _made() -> Any:
    dialect.enable()
    from airflow.example_dags.plugins.workday import AfterWorkdayTimetable

    return AfterWorkdayTimetable()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_it_answers_as_in_airflow(case: dict[str, Any]) -> None:
    assert_answers(_made(), case)


def test_it_is_stored_as_an_authors_class_under_airflows_path() -> None:
    ref = reference(_made())
    assert (ref.path, ref.builtin) == ("airflow.example_dags.plugins.workday.AfterWorkdayTimetable", False)


@pytest.mark.parametrize(("moment", "day"), BY_HAND.values(), ids=BY_HAND.keys())
def test_a_run_by_hand_is_about_the_last_complete_workday(moment: str, day: str) -> None:
    assert_covers(_made(), moment, day)


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
