"""The page about mistakes in timetables quotes the messages that Gnomon prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.authoring.sdk import test_author_timetable as author_tests
from tests.unit.rules.planning import test_queries as query_tests

from gnomon.rules.planning import PlanningError, build_manual_run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "debug-a-timetable.md"
TESTED_ELSEWHERE = ("did not answer within", "cannot be made: another run of this DAG has that run id")
"""Parts of messages of other processes, which other tests check."""


def test_each_message_of_the_page_is_a_message_of_gnomon() -> None:
    messages = [re.sub(r" \([^()]+:\d+\)", "", text.replace("`", "")) for text in _messages()]
    missing = [part for part in _quoted() if not any(part in text for text in messages)]
    assert "\n".join(part for part in missing if not any(words in part for words in TESTED_ELSEWHERE)) == ""


def _quoted() -> Iterator[str]:
    """The quoted messages in the right column, split at each ellipsis."""
    for row in re.findall(r"^\|[^|]+\| (.+) \|$", PAGE.read_text(), re.MULTILINE):
        for quotation in re.findall(r"`([^`]{20,})`", row):
            if not quotation.startswith(("gnomon ", "[")):
                yield from (part.strip() for part in quotation.split(" ..."))


def _messages() -> Iterator[str]:
    """The messages for the mistakes of the unit tests, with Mine as the name of each class."""
    for _, body, _ in query_tests.MISTAKES:
        with pytest.raises(PlanningError) as caught:
            query_tests._next(query_tests._of(**body))
        yield str(caught.value)
    for _, body, _ in query_tests.MANUAL_MISTAKES:
        with pytest.raises(PlanningError) as caught:
            build_manual_run(query_tests._of(**body), None, 0)
        yield str(caught.value)
    for schedule in _schedules():
        name = schedule.__name__ if isinstance(schedule, type) else type(schedule).__name__
        yield re.sub(rf"\b{name}\b", "Mine", author_tests._refused(schedule))
    dag = author_tests._dag(author_tests.Forgets(author_tests.dt.time(9), "Europe/Zurich"))
    author_tests.build_dag_spec(dag, author_tests.HERE)
    yield from (warning.replace("Forgets", "Mine") for warning in dag.warnings)


def _schedules() -> Iterator[Any]:
    (cases,) = (mark for mark in author_tests.test_what_cannot_be_stored_is_told_with_dag_class_and_remedy.pytestmark)
    for schedule, _ in cases.args[1]:
        yield schedule

    class Mine(author_tests.Timetable):
        pass

    yield Mine()
