"""One side of the comparison of timetables: it says over its pipes how long rounds of the golden walks take.

    python bench/timetable_side.py gnomon|airflow

Run by bench/timetable_rate.py, in an interpreter that has Gnomon and in one that has Airflow. The clock stands at each
case's `now`: on either side the modules are handed another function for it, which makes neither slower.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from dateutil.relativedelta import relativedelta

CASES = Path(__file__).parents[1] / "tests/conformance/data/timetables.jsonl"
CLASSES = (
    "CronTriggerTimetable",
    "CronDataIntervalTimetable",
    "MultipleCronTriggerTimetable",
    "DeltaTriggerTimetable",
    "DeltaDataIntervalTimetable",
)
AIRFLOW_MODULES = ("airflow.timetables.trigger", "airflow.timetables.interval")
"""Where Airflow has these classes; each imports a function for the time."""


class Walk:
    """The questions of one golden walk, to be asked with the clock at `now`."""

    def __init__(self, now: datetime, calls: list[Callable[[], object]]) -> None:
        self.now = now
        self.calls = calls


class Gnomon:
    """Gnomon's timetables, types and clock."""

    def __init__(self) -> None:
        from gnomon.model.slots import DataInterval, TimeRestriction
        from gnomon.rules.timetables import system_time

        self.interval, self.restriction, self._ambient = DataInterval, TimeRestriction, system_time

    def find(self, name: str) -> Any:
        return getattr(import_module("gnomon.timetables"), name)

    def moment(self, text: str | None) -> Any:
        return None if text is None else datetime.fromisoformat(text)

    def hold(self, now: Any) -> None:
        self._ambient.now = lambda: now


class Airflow:
    """Airflow's timetables, types and clock; pendulum's instants, which are what its scheduler hands over."""

    def __init__(self) -> None:
        import pendulum
        from airflow.timetables.base import DataInterval, TimeRestriction

        self.interval, self.restriction, self._pendulum = DataInterval, TimeRestriction, pendulum
        self._modules = [import_module(name) for name in AIRFLOW_MODULES]

    def find(self, name: str) -> Any:
        return next(getattr(module, name) for module in self._modules if hasattr(module, name))

    def moment(self, text: str | None) -> Any:
        return None if text is None else self._pendulum.parse(text)

    def hold(self, now: Any) -> None:
        for module in self._modules:
            module.utcnow = lambda: now


def walks(side: Any) -> dict[str, list[Walk]]:
    """Every golden walk of the cron and delta classes, by class."""
    found: dict[str, list[Walk]] = {}
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        spec = case["timetable"]
        if case["op"] != "walk" or spec["class"] not in CLASSES:
            continue
        cls = side.find(spec["class"])
        made = cls(*map(_argument, spec["args"]), **{key: _argument(value) for key, value in spec["kwargs"].items()})
        bounds = case["restriction"]
        restriction = side.restriction(
            side.moment(bounds["earliest"]), side.moment(bounds["latest"]), bounds["catchup"]
        )
        lasts = [None, *(_interval(side, answer) for answer in case["expect"] if answer)]
        walk = Walk(side.moment(case["now"]), [_call(made, last, restriction) for last in lasts])
        found.setdefault(spec["class"], []).append(walk)
    return found


def measure(side: Any, chosen: list[Walk], seconds: float) -> tuple[int, float]:
    """How many calls were made in whole rounds of about that long, and the seconds that they took."""
    calls, spent = 0, 0.0
    while spent < seconds:
        for walk in chosen:
            side.hold(walk.now)
            begin = time.perf_counter()
            for call in walk.calls:
                call()
            spent += time.perf_counter() - begin
            calls += len(walk.calls)
    return calls, spent


def year_of_slots() -> tuple[int, float]:
    """How many instants `*/5 * * * *` has in New York in 2023, and the seconds until the last was yielded."""
    from gnomon.timetables import CronTriggerTimetable

    made = CronTriggerTimetable("*/5 * * * *", timezone="America/New_York")
    start = datetime(2023, 1, 1, 5, tzinfo=UTC)
    begin = time.perf_counter()
    count = sum(1 for _ in made.slots_between(start, start + timedelta(days=365)))
    return count, time.perf_counter() - begin


def main() -> None:
    """Answers one JSON line for each JSON line: {"class": name, "seconds": n} or {"slots": true}."""
    side = {"gnomon": Gnomon, "airflow": Airflow}[sys.argv[1]]()
    found = walks(side)
    print(json.dumps({name: len(chosen) for name, chosen in found.items()}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        count, spent = year_of_slots() if "slots" in asked else measure(side, found[asked["class"]], asked["seconds"])
        print(json.dumps({"count": count, "spent": spent}), flush=True)


def _call(made: Any, last: Any, restriction: Any) -> Callable[[], object]:
    return lambda: made.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)


def _argument(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return timedelta(seconds=value["seconds"]) if "seconds" in value else relativedelta(**value["relativedelta"])


def _interval(side: Any, answer: dict[str, str]) -> Any:
    return side.interval(side.moment(answer["start"]), side.moment(answer["end"]))


if __name__ == "__main__":
    main()
