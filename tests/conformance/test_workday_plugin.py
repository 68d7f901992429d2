"""The timetable of Airflow's published plugin, unmodified and with pandas, answers here as it did in Airflow 3.3.2."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conformance.airflow_examples import unpacked_examples
from tests.conformance.workdays import BY_HAND, CASES, assert_answers, assert_covers

from gnomon.author_code.loading import dialect

pytestmark = pytest.mark.network

MODULE = "published_workday_plugin"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The module of the published plugin, found by name as one of the plugins folder is."""
    file = unpacked_examples(tmp_path_factory.mktemp("airflow")) / "plugins" / "workday.py"
    dialect.enable()
    spec = importlib.util.spec_from_file_location(MODULE, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[MODULE]


def test_there_are_cases_and_holidays_count(plugin: Any) -> None:
    assert len(CASES) == 4
    assert plugin.AfterWorkdayTimetable._get_holiday_calendar() is not None, "pandas is a tool of development"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_it_answers_as_in_airflow(case: dict[str, Any], plugin: Any) -> None:
    assert_answers(plugin.AfterWorkdayTimetable(), case)


@pytest.mark.parametrize(("moment", "day"), BY_HAND.values(), ids=BY_HAND.keys())
def test_a_run_by_hand_is_about_the_last_complete_workday(moment: str, day: str, plugin: Any) -> None:
    assert_covers(plugin.AfterWorkdayTimetable(), moment, day)
