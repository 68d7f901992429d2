"""The timetable of Airflow's published plugin, unmodified and with pandas, answers here as it did in Airflow 3.3.2."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from tests.conformance.airflow_examples import unpacked_examples

from gnomon.loading import dialect
from gnomon.loading.timetables import made_again
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.slots import Cursor, TimeRestriction
from gnomon.planning import manual_run
from gnomon.planning.asking import ask_next
from gnomon.timetables import reference

pytestmark = pytest.mark.network

CASES = [
    case
    for case in map(json.loads, (Path(__file__).parent / "data/timetables.jsonl").read_text().splitlines())
    if case["timetable"]["class"] == "AfterWorkdayTimetable"
]
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
    made = plugin.AfterWorkdayTimetable()
    assert _walk(made, case) == case["expect"]
    assert _walk(made_again(reference(made)), case) == case["expect"]


@pytest.mark.parametrize(
    ("day", "covers"),
    [
        ("2024-03-10T09:00:00+00:00", "2024-03-08"),
        ("2024-03-11T09:00:00+00:00", "2024-03-08"),
        ("2024-07-05T09:00:00+00:00", "2024-07-03"),
        ("2024-03-13T00:00:00+00:00", "2024-03-12"),
    ],
    ids=["on a Sunday", "on a Monday", "the day after a holiday", "at midnight"],
)
def test_a_run_by_hand_is_about_the_last_complete_workday(day: str, covers: str, plugin: Any) -> None:
    run = manual_run(plugin.AfterWorkdayTimetable(), None, to_instant(datetime.fromisoformat(day)))
    assert run.interval_start is not None and run.interval_end is not None
    assert to_datetime(run.interval_start).isoformat() == f"{covers}T00:00:00+00:00"
    assert run.interval_end - run.interval_start == 24 * 3600 * 1_000_000


def _walk(made: Any, case: dict[str, Any]) -> list[dict[str, str] | None]:
    assert case["op"] == "walk"
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
