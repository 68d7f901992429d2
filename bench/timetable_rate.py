"""How fast timetables answer: `next_dagrun_info` calls a second beside Airflow's, and a year of slots at once.

    python -m bench.run timetables

The calls are those of the golden walks (tests/conformance/data/timetables.jsonl). Airflow is downloaded into a virtual
environment of its own, in a cache folder, and asked the same in turns with Gnomon, so that a busy machine is busy for both.
Without the package index Airflow's side is left out, and the reason printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.airflow_env import LeftOut, airflow_python, cache
from bench.figures import median, show

SIDE = Path(__file__).parent / "timetable_side.py"
END_TIMEOUT_S = 60
TURNS, TURN_S = 5, 0.4
WANTED = {
    "CronTriggerTimetable": 20,
    "CronDataIntervalTimetable": 20,
    "MultipleCronTriggerTimetable": 20,
    "DeltaTriggerTimetable": 1,
    "DeltaDataIntervalTimetable": 1,
}
"""How many times Airflow's calls a second are wanted of each class."""
SLOTS_WANTED_S = 0.3


def timetables() -> None:
    with _side(sys.executable, "gnomon") as ours:
        year = [_ask(ours, {"slots": True}) for _ in range(TURNS)]
        slots_s = [answer["spent"] for answer in year]
        show(
            f"a year of */5 * * * * in New York, {year[0]['count']} slots",
            f"{slots_s[0]:.3f} s, then {median(slots_s):.3f} s",
            f"< {SLOTS_WANTED_S} s",
        )
        try:
            with _side(str(airflow_python()), "airflow", AIRFLOW_HOME=str(cache() / "home")) as theirs:
                for name, wanted in WANTED.items():
                    _beside(name, wanted, ours, theirs)
        except LeftOut as reason:
            for name in WANTED:
                _alone(name, ours)
            show("next_dagrun_info beside Airflow's", f"left out: {reason}")


def _beside(name: str, wanted: int, ours: subprocess.Popen[str], theirs: subprocess.Popen[str]) -> None:
    """Both sides in turns; the figure is the median of the ratios of neighbouring turns."""
    rates = [(_rate(ours, name), _rate(theirs, name)) for _ in range(TURNS)]
    ratio = median([mine / other for mine, other in rates])
    show(
        f"next_dagrun_info, {name}",
        f"{median([mine for mine, _ in rates]):,.0f}/s, {ratio:.1f} times Airflow's",
        f">= {wanted} times",
        f"Airflow {median([other for _, other in rates]):,.0f}/s",
    )


def _alone(name: str, ours: subprocess.Popen[str]) -> None:
    show(f"next_dagrun_info, {name}", f"{median([_rate(ours, name) for _ in range(TURNS)]):,.0f}/s")


def _rate(side: subprocess.Popen[str], name: str) -> float:
    answer = _ask(side, {"class": name, "seconds": TURN_S})
    return float(answer["count"] / answer["spent"])


def _ask(side: subprocess.Popen[str], question: dict[str, object]) -> dict[str, Any]:
    assert side.stdin is not None and side.stdout is not None
    side.stdin.write(json.dumps(question) + "\n")
    side.stdin.flush()
    answer = side.stdout.readline()
    if not answer:
        raise LeftOut("its process ended; what it said is above")
    found: dict[str, Any] = json.loads(answer)
    return found


@contextmanager
def _side(python: str, name: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The process of one side, which has read the cases."""
    try:
        process = subprocess.Popen(
            [python, str(SIDE), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
    except OSError as error:
        raise LeftOut(f"{python} cannot be started: {error.strerror}") from None
    assert process.stdin is not None and process.stdout is not None
    try:
        if not process.stdout.readline():
            raise LeftOut(f"{name} does not start under {python}; what it said is above")
        yield process
    finally:
        process.stdin.close()
        process.wait(timeout=END_TIMEOUT_S)
        process.stdout.close()
