"""The unit tests of ten published provider packages pass against Gnomon, or `airflow_unit/provider_failures.txt` says why not.

`airflow_unit/provider_counts.txt` has the numbers of each package.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.airflow_unit_tests import Outcome
from tests.conformance.provider_unit_tests import (
    KNOWN_FAILURES,
    NOT_APPLICABLE,
    SHORT,
    VERSIONS,
    count,
    read_counts,
    run_provider,
)
from tests.conformance.test_airflow_unit_tests import compare, find_line, read_reasons

KINDS = (NOT_APPLICABLE, "a listed difference: ", "issue: not yet: ")


def check(package: str, home: Path) -> None:
    """Run the tests of the package and compare each outcome, and the counts, with what is committed."""
    outcomes = run_provider(package, home)
    reasons = read_reasons(KNOWN_FAILURES)
    assert compare(outcomes, reasons) == []
    lines = {
        outcome.test: find_line(outcome.test, reasons)
        for outcome in outcomes
        if outcome.outcome not in ("passed", "skipped")
    }
    assert [line for line in reasons if line.startswith(f"{package}/") and line not in lines.values()] == [], (
        "lines of tests that do not exist"
    )
    assert (
        count(outcomes, {test: reasons[line] if line else None for test, line in lines.items()})
        == read_counts()[package]
    )


def test_each_reason_is_of_a_known_kind_and_every_package_has_counts() -> None:
    assert [reason for reason in set(read_reasons(KNOWN_FAILURES).values()) if not reason.startswith(KINDS)] == []
    assert set(read_counts()) == set(VERSIONS)


def test_a_test_counts_as_not_applicable_only_for_a_reason_that_says_so() -> None:
    outcomes = [
        Outcome("a", "passed", ""),
        Outcome("b", "skipped", ""),
        Outcome("c", "failed", "why"),
        Outcome("d", "not importable", "why"),
        Outcome("e", "failed", "why"),
    ]
    assert (
        count(outcomes, {"c": NOT_APPLICABLE + "x", "d": "issue: not yet: y"})
        == "1 passed, 2 failed, 1 not applicable, 1 skipped"
    )


@pytest.mark.network
@pytest.mark.parametrize("package", SHORT)
def test_the_unit_tests_of_some_packages_pass_or_are_listed(package: str, tmp_path: Path) -> None:
    check(package, tmp_path)


@pytest.mark.soak
@pytest.mark.network
@pytest.mark.parametrize("package", sorted(set(VERSIONS) - set(SHORT)))
def test_the_unit_tests_of_the_other_packages_pass_or_are_listed(package: str, tmp_path: Path) -> None:
    check(package, tmp_path)
