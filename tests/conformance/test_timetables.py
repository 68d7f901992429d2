"""The built-in timetables answer as Apache Airflow 3.3.2 did (data/README.md has the format)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from dateutil.relativedelta import relativedelta
from tests.conformance.workdays import NAME as AUTHORS

from gnomon import timetables
from gnomon.model.slots import DataInterval, TimeRestriction
from gnomon.rules.timetables.registry import BUILTINS, build, reference
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.timetables import BuiltinTimetable

pytestmark = pytest.mark.pure

CASES = [json.loads(line) for line in (Path(__file__).parent / "data/timetables.jsonl").read_text().splitlines()]
MOVED_ZONE = "Africa/Casablanca"
"""The tz database ends Morocco's clock changes in 2026 from release 2026c or d on; the cases were made before, and with
release 2025b these two pass as they are."""
MOVED_IDS = frozenset({"74b8e3d20e62", "f7f3b9de7f08"})


def _parameters() -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["timetable"]["class"] != AUTHORS]


@pytest.mark.parametrize("case", _parameters())
def test_answers_as_airflow_did(case: dict[str, Any]) -> None:
    made = _timetable(case["timetable"])
    got = _ask(made, case)
    if case["id"] in MOVED_IDS and got != case["expect"]:
        assert _wall_clocks(got) == _wall_clocks(case["expect"], summer_time_was_permanent=True)
    else:
        assert got == case["expect"]


@pytest.mark.parametrize("case", _parameters())
def test_a_stored_timetable_is_equal_and_answers_alike(case: dict[str, Any]) -> None:
    made = _timetable(case["timetable"])
    stored = json.loads(json.dumps(reference(made).data))
    again = build(reference(made))
    assert again == made
    assert again.serialize() == stored
    assert _ask(again, case) == _ask(made, case)


def test_every_built_in_class_with_cases_is_covered() -> None:
    classes = {case["timetable"]["class"] for case in CASES}
    assert classes - {AUTHORS} <= set(BUILTINS)
    assert len(CASES) == 521


def _ask(made: BuiltinTimetable, case: dict[str, Any]) -> Any:
    if case["op"] == "display":
        return {"summary": made.summary, "description": made.description}
    with time_machine.travel(datetime.fromisoformat(case["now"]), tick=False):
        if case["op"] == "manual":
            return _interval(made.infer_manual_data_interval(run_after=datetime.fromisoformat(case["run_after"])))
        return _walk(made, case["restriction"])


def _walk(made: BuiltinTimetable, bounds: dict[str, Any]) -> list[dict[str, str] | None]:
    restriction = TimeRestriction(_moment(bounds["earliest"]), _moment(bounds["latest"]), bounds["catchup"])
    answers: list[dict[str, str] | None] = []
    last: DataInterval | None = None
    for _ in range(6):
        info = made.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        if info is None or info.data_interval is None:
            answers.append(None)
            break
        last = info.data_interval
        answers.append({"run_after": info.run_after.isoformat(), **_interval(last)})
    return answers


def _wall_clocks(answers: list[dict[str, str]], summer_time_was_permanent: bool = False) -> list[datetime]:
    """The local times of the runs. Before the change of law, 1 January was at +01:00 unless in Ramadan (2030, 2031)."""
    moments = [datetime.fromisoformat(answer["run_after"]) for answer in answers]
    if summer_time_was_permanent:
        return [(moment + timedelta(hours=1 if moment.hour == 23 else 0)).replace(tzinfo=None) for moment in moments]
    return [moment.astimezone(named_zone(MOVED_ZONE)).replace(tzinfo=None) for moment in moments]


def _timetable(spec: dict[str, Any]) -> BuiltinTimetable:
    arguments = [_argument(value) for value in spec["args"]]
    keywords = {key: _argument(value) for key, value in spec["kwargs"].items()}
    made: BuiltinTimetable = getattr(timetables, spec["class"])(*arguments, **keywords)
    return made


def _argument(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "seconds" in value:
        return timedelta(seconds=value["seconds"])
    if "relativedelta" in value:
        return relativedelta(**value["relativedelta"])
    return [datetime.fromisoformat(text).astimezone(UTC) for text in value["datetimes"]]


def _interval(interval: DataInterval) -> dict[str, str]:
    return {"start": interval.start.isoformat(), "end": interval.end.isoformat()}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
