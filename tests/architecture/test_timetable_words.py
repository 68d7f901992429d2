"""The page about mistakes in timetables quotes what is really said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.planning import test_queries as asking
from tests.unit.sdk import test_author_timetable as authored

from gnomon.planning import PlanningError, build_manual_run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "debug-a-timetable.md"
ELSEWHERE = ("did not answer within", "cannot be made: another run of this DAG has that run id")
"""Said by other processes, and tested there."""


def test_every_sentence_of_the_page_is_said() -> None:
    said = [re.sub(r" \([^()]+:\d+\)", "", text.replace("`", "")) for text in _said()]
    missing = [part for part in _quoted() if not any(part in text for text in said)]
    assert "\n".join(part for part in missing if not any(words in part for words in ELSEWHERE)) == ""


def _quoted() -> Iterator[str]:
    """The parts of the quotations in the right column, without what they leave out."""
    for row in re.findall(r"^\|[^|]+\| (.+) \|$", PAGE.read_text(), re.MULTILINE):
        for quotation in re.findall(r"`([^`]{20,})`", row):
            if not quotation.startswith(("gnomon ", "[")):
                yield from (part.strip() for part in quotation.split(" ..."))


def _said() -> Iterator[str]:
    """What the cases of the unit tests make it say; every class is called Mine."""
    for _, body, _ in asking.MISTAKES:
        with pytest.raises(PlanningError) as caught:
            asking._next(asking._of(**body))
        yield str(caught.value)
    for _, body, _ in asking.MANUAL_MISTAKES:
        with pytest.raises(PlanningError) as caught:
            build_manual_run(asking._of(**body), None, 0)
        yield str(caught.value)
    for schedule in _schedules():
        name = schedule.__name__ if isinstance(schedule, type) else type(schedule).__name__
        yield re.sub(rf"\b{name}\b", "Mine", authored._refused(schedule))
    dag = authored._dag(authored.Forgets(authored.dt.time(9), "Europe/Zurich"))
    authored.build_dag_spec(dag, authored.HERE)
    yield from (warning.replace("Forgets", "Mine") for warning in dag.warnings)


def _schedules() -> Iterator[Any]:
    (cases,) = (mark for mark in authored.test_what_cannot_be_stored_is_told_with_dag_class_and_remedy.pytestmark)
    for schedule, _ in cases.args[1]:
        yield schedule

    class Mine(authored.Timetable):
        pass

    yield Mine()
