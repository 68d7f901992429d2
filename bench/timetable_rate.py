"""How fast timetables answer: `next_dagrun_info` calls per second by class, and a year of slots at once.

    python bench/timetable_rate.py [--seconds 1.0]

The calls are those of the golden walks (tests/conformance/data/timetables.jsonl), with the clock held at each case's
`now`; only the calls are timed, every case alike often. Prints one JSON record a line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dateutil.relativedelta import relativedelta

from gnomon import timetables
from gnomon.model.slots import DataInterval, TimeRestriction
from gnomon.timetables import BuiltinTimetable, CronTriggerTimetable, ambient

CASES = Path(__file__).parents[1] / "tests/conformance/data/timetables.jsonl"
AIRFLOW_PER_S = {"slowest": 876, "fastest": 3149}
"""Airflow 3.3.2 on the same kind of machine, over its cron classes."""


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast timetables answer.")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to measure each class")
    arguments = parser.parse_args()
    for name, questions in sorted(_questions().items()):
        print(json.dumps(_rate(name, questions, arguments.seconds)))
    print(json.dumps(_year_of_slots()))


def _questions() -> dict[str, list[tuple[datetime, Callable[[], object]]]]:
    """Every call of every golden walk, by class: the instant at which the clock stands, and the call."""
    questions: dict[str, list[tuple[datetime, Callable[[], object]]]] = defaultdict(list)
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        name = case["timetable"]["class"]
        if case["op"] == "walk" and hasattr(timetables, name):
            made = _timetable(case["timetable"])
            for last in [None, *(_interval(answer) for answer in case["expect"] if answer)]:
                questions[name].append((datetime.fromisoformat(case["now"]), _call(made, last, case["restriction"])))
    return questions


def _rate(name: str, questions: list[tuple[datetime, Callable[[], object]]], seconds: float) -> dict[str, object]:
    """Calls per second over rounds of all questions, the first (which fills the caches) apart."""
    real_now = ambient.now
    spent_first = _round(questions)
    calls, spent = 0, 0.0
    while spent < seconds:
        spent += _round(questions)
        calls += len(questions)
    ambient.now = real_now
    return {
        "timetable": name,
        "calls_per_s": round(calls / spent),
        "first_round_calls_per_s": round(len(questions) / spent_first),
        "airflow_calls_per_s": AIRFLOW_PER_S,
    }


def _round(questions: list[tuple[datetime, Callable[[], object]]]) -> float:
    """The seconds that all calls took, each with the clock at its own instant."""
    spent = 0.0
    for now, call in questions:
        ambient.now = lambda now=now: now
        begin = time.perf_counter()
        call()
        spent += time.perf_counter() - begin
    return spent


def _year_of_slots() -> dict[str, object]:
    """The instants of a year of `*/5 * * * *` in New York, in an interpreter that knows the zone."""
    made = CronTriggerTimetable("*/5 * * * *", timezone="America/New_York")
    start = datetime(2023, 1, 1, 5, tzinfo=UTC)
    spans = []
    for _ in range(5):
        begin = time.perf_counter()
        count = sum(1 for _ in made.slots_between(start, start + timedelta(days=365)))
        spans.append(time.perf_counter() - begin)
    return {"slots_between": count, "first_s": round(spans[0], 4), "median_s": round(sorted(spans)[2], 4)}


def _call(made: BuiltinTimetable, last: DataInterval | None, bounds: dict[str, Any]) -> Callable[[], object]:
    restriction = TimeRestriction(_moment(bounds["earliest"]), _moment(bounds["latest"]), bounds["catchup"])
    return lambda: made.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)


def _timetable(spec: dict[str, Any]) -> BuiltinTimetable:
    keywords = {key: _argument(value) for key, value in spec["kwargs"].items()}
    made: BuiltinTimetable = getattr(timetables, spec["class"])(*map(_argument, spec["args"]), **keywords)
    return made


def _argument(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "seconds" in value:
        return timedelta(seconds=value["seconds"])
    if "relativedelta" in value:
        return relativedelta(**value["relativedelta"])
    return [datetime.fromisoformat(text) for text in value["datetimes"]]


def _interval(answer: dict[str, str]) -> DataInterval:
    return DataInterval(datetime.fromisoformat(answer["start"]), datetime.fromisoformat(answer["end"]))


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


if __name__ == "__main__":
    sys.exit(main())
