"""Airflow's own unit tests of the authoring surface pass here, or `airflow_unit/known_failures.txt` says why not.

A test that is listed and passes, and one that is not listed and does not pass, fail this test.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.conformance.airflow_unit_tests import KNOWN_FAILURES, Outcome, run

pytestmark = pytest.mark.network
SHORT = {
    "task-sdk": (
        "definitions/test_dag.py",
        "definitions/test_taskgroup.py",
        "definitions/test_connection.py",
        "definitions/test_mixins.py",
    ),
    "standard": ("test_exceptions.py", "utils/test_weekday.py"),
}
"""The files that `make test` runs; `make soak` runs all."""
KINDS = ("needs Airflow's database or internals", "a listed difference: ", "issue: not yet: ")


def read_reasons(place: Path = KNOWN_FAILURES) -> dict[str, str]:
    """Test, class or file (each a prefix of test ids) to the reason why it does not pass."""
    reasons: dict[str, str] = {}
    reason = ""
    for line in place.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            reason = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            assert line not in reasons, f"{line} is listed twice"
            reasons[line] = reason
    return reasons


def find_line(test: str, listed: Iterable[str]) -> str | None:
    """The line that lists the test: its id, or the function, class or file that it belongs to."""
    function = test.partition("[")[0]
    parts = function.split("::")
    candidates = (test, *("::".join(parts[:count]) for count in range(len(parts), 0, -1)))
    return next((name for name in candidates if name in listed), None)


def compare(outcomes: Iterable[Outcome], reasons: dict[str, str]) -> list[str]:
    """What is wrong with the list: a sentence for each test."""
    problems = []
    for test, outcome, error in outcomes:
        line = find_line(test, reasons)
        if outcome == "passed" and line is not None:
            problems.append(f"{test} passes and is listed by the line {line!r} ({reasons[line]}): remove that line")
        elif outcome in ("failed", "not importable") and line is None:
            problems.append(f"{test} does not pass and is not listed: {error}")
    return problems


def test_each_reason_is_of_a_known_kind() -> None:
    assert [reason for reason in set(read_reasons().values()) if not reason.startswith(KINDS)] == []


def test_a_test_that_passes_and_is_listed_and_one_that_fails_and_is_not_are_problems() -> None:
    outcomes = [
        Outcome("s/a.py::T::good", "passed", ""),
        Outcome("s/a.py::T::bad[1]", "failed", "why"),
        Outcome("s/b.py::x", "failed", "why"),
        Outcome("s/b.py::y", "passed", ""),
        Outcome("s/c.py", "not importable", "no"),
        Outcome("s/d.py::z", "skipped", ""),
    ]
    assert compare(outcomes, {"s/a.py::T::bad": "r", "s/b.py": "r", "s/c.py": "r"}) == [
        "s/b.py::y passes and is listed by the line 's/b.py' (r): remove that line"
    ]
    assert compare(outcomes, {"s/a.py::T::bad[1]": "r", "s/b.py::x": "r"}) == [
        "s/c.py does not pass and is not listed: no"
    ]


@pytest.mark.parametrize("source", sorted(SHORT))
def test_some_of_airflows_own_unit_tests_pass_or_are_listed(source: str, tmp_path: Path) -> None:
    assert compare(run(source, SHORT[source], tmp_path), read_reasons()) == []


@pytest.mark.soak
@pytest.mark.parametrize("source", sorted(SHORT))
def test_airflows_own_unit_tests_pass_or_are_listed(source: str, tmp_path: Path) -> None:
    outcomes = run(source, ["."], tmp_path)
    reasons = read_reasons()
    assert compare(outcomes, reasons) == []
    used = {find_line(outcome.test, reasons) for outcome in outcomes if outcome.outcome != "passed"}
    assert [line for line in reasons if line.startswith(f"{source}/") and line not in used] == [], (
        "lines of tests that do not exist"
    )
