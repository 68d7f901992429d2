"""The answers of Airflow's published workday plugin under Airflow, for every class that must give the same answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import time_machine

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.model.instants import SECOND, to_datetime, to_instant
from gnomon.model.slots import Cursor, TimeRestriction
from gnomon.rules.planning import build_manual_run
from gnomon.rules.planning.queries import ask_next
from gnomon.timetables import reference

NAME = "AfterWorkdayTimetable"
CASES = [
    case
    for case in map(json.loads, (Path(__file__).parent / "data/timetables.jsonl").read_text().splitlines())
    if case["timetable"]["class"] == NAME
]
BY_HAND = {
    "on a Sunday": ("2024-03-10T09:00:00+00:00", "2024-03-08"),
    "on a Monday": ("2024-03-11T09:00:00+00:00", "2024-03-08"),
    "the day after a holiday": ("2024-07-05T09:00:00+00:00", "2024-07-03"),
    "at midnight": ("2024-03-13T00:00:00+00:00", "2024-03-12"),
}
"""When somebody makes a run, and the workday that it covers: the last complete one."""


def assert_answers(made: Any, case: dict[str, Any]) -> None:
    """The timetable answers as the case says, and so does one made again from what is stored of it."""
    assert case["op"] == "walk"
    assert _walk(made, case) == case["expect"]
    assert _walk(rebuild_timetable(reference(made)), case) == case["expect"]


def assert_covers(made: Any, moment: str, day: str) -> None:
    """A run that somebody makes at the moment covers that day."""
    run = build_manual_run(made, None, to_instant(datetime.fromisoformat(moment)))
    assert run.interval_start is not None and run.interval_end is not None
    assert to_datetime(run.interval_start).isoformat() == f"{day}T00:00:00+00:00"
    assert run.interval_end - run.interval_start == 24 * 3600 * SECOND


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
            answers.append(
                {"run_after": _iso(run.run_after), "start": _iso(run.interval_start), "end": _iso(run.interval_end)}
            )
    return answers


def _iso(instant: int | None) -> str:
    assert instant is not None
    return to_datetime(instant).isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
