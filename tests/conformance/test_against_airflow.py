"""The built-in timetables and Airflow's own, installed for this test, answer the same random questions alike.

Where they do not, the difference is one of the departures that docs/reference/airflow-differences.md lists.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.airflow_env import LeftOut, airflow_python
from tests.conformance.airflow_cases import Case, random_case
from tests.conformance.airflow_examples import CACHE
from tests.conformance.test_timetables import _ask, _timetable

from gnomon.rules.timetables.cron.cron_fields import parse_cron
from gnomon.rules.timetables.wall_clock.zones import named_zone

SEED = 20_261_121
CASES = 4_000
INSTALL_TIMEOUT_S = 600
ANSWER_TIMEOUT_S = 600
EXPLAINED_MAX = CASES // 50
"""Departures are corners: more of them than this are something else."""


@pytest.mark.soak
@pytest.mark.network
def test_random_questions_are_answered_as_airflow_answers_them() -> None:
    rng = random.Random(SEED)
    asked = [random_case(rng, number) for number in range(CASES)]
    answered = ask_airflow(asked)
    different = [(case, got) for case in answered if "error" not in case and (got := ask_us(case)) != case["expect"]]
    unexplained = [(case, got) for case, got in different if not is_departure(case, got)]
    print(f"\n{len(answered)} cases (seed {SEED}): {len(different)} differ, {len(unexplained)} of them unexplained")
    assert not unexplained, "\n".join(f"{json.dumps(case)}\n  here: {json.dumps(got)}" for case, got in unexplained[:5])
    assert len(different) <= EXPLAINED_MAX
    refused_by_us = [case for case in answered if "error" not in case and isinstance(ask_us(case), str)]
    assert refused_by_us == []


def ask_us(case: Case) -> Any:
    """Our answer; the error in words where there is none."""
    try:
        return _ask(_timetable(case["timetable"]), case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def ask_airflow(cases: list[Case]) -> list[Case]:
    """The cases with Airflow's answers, by the same release of the tz database."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AIRFLOW", "GNOMON"))},
        "AIRFLOW_HOME": str(CACHE / "home"),
        "PYTHONTZPATH": "",
    }
    done = subprocess.run(
        [interpreter(), Path(__file__).parent / "ask_airflow.py"],
        input="\n".join(map(json.dumps, cases)),
        text=True,
        capture_output=True,
        env=environment,
        timeout=ANSWER_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def interpreter() -> Path:
    """The Python of the environment in which the benchmark of timetables has installed Airflow."""
    try:
        python = airflow_python()
    except LeftOut as reason:
        pytest.fail(f"Airflow cannot be installed: {reason}")
    packages = ["time-machine", f"tzdata=={_tzdata()}"]
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, timeout=INSTALL_TIMEOUT_S)
    return Path(python)


def _tzdata() -> str:
    from importlib.metadata import version

    return version("tzdata")


def is_departure(case: Case, got: Any) -> bool:
    """Whether the case lies where Airflow loses runs, doubles them, or runs where no label is."""
    spec = case["timetable"]
    texts = [text for text in spec["args"] if isinstance(text, str) and " " in text]
    if case["op"] == "display":
        return any(_is_described_by_what_runs(text) for text in texts)
    if (
        spec["class"] == "MultipleCronTriggerTimetable"
        and "interval" in spec["kwargs"]
        and not case["restriction"]["catchup"]
    ):
        return True  # it orders by the start of the interval, and so passes over runs that lie in the future
    if "Cron" not in spec["class"] or not _clocks_change(case):
        return False
    if any(parse_cron(text).every_hour and text.split()[2:5] != ["*"] * 3 for text in texts):
        return True  # every hour of some days: the first of them after a clock change begins an hour off there
    if case["op"] == "manual":
        return bool(case["expect"]["start"] == case["expect"]["end"])  # an interval of no length
    return _drops_labels(case["expect"], got)


def _is_described_by_what_runs(text: str) -> bool:
    """A weekday field that names all days is told as a restriction there; so is a day of month beside `#` and `L`."""
    weekday = text.split()[-1].lower()
    return weekday in ("0-6", "*/1", "1-7") or (text.split()[2] != "*" and ("#" in weekday or "l" in weekday))


def _drops_labels(theirs: list[dict[str, str] | None], ours: list[dict[str, str] | None]) -> bool:
    """All their runs are runs of ours, as far as ours were asked; ours has more between them."""
    runs = [[row["run_after"] for row in rows if row is not None] for rows in (theirs, ours)]
    return {at for at in runs[0] if at <= runs[1][-1]} < set(runs[1])


def _clocks_change(case: Case) -> bool:
    spec = case["timetable"]
    zone = named_zone(spec["kwargs"].get("timezone") or spec["args"][1])
    told = [case["now"], *(value for row in _rows(case["expect"]) for value in row.values())]
    instants = [datetime.fromisoformat(text) for text in told]
    first, last = min(instants) - timedelta(days=32), max(instants) + timedelta(days=2)
    steps = int((last - first) / timedelta(hours=12))
    return len({(first + step * timedelta(hours=12)).astimezone(zone).utcoffset() for step in range(steps)}) > 1


def _rows(expect: Any) -> list[dict[str, str]]:
    return [row for row in (expect if isinstance(expect, list) else [expect]) if row is not None]
