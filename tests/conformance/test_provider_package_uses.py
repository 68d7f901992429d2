"""Fifty published provider packages are installed by five plans; what of each can be imported is as recorded, and each use of them succeeds."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conformance.provider_environment import PLANS, list_recorded, measure, read_record, summarize

LEAST = 50
"""So many packages are in use."""


def test_the_record_has_no_use_that_failed() -> None:
    record = read_record()
    assert [one["package"] for one in record if one["use"].startswith("failed")] == []
    assert sum(bool(one["use"]) for one in record) >= LEAST


def test_a_use_that_fails_is_recorded_as_such() -> None:
    report: dict[str, Any] = {
        "package": "apache-airflow-providers-x",
        "version": "1",
        "modules": [
            {"module": "m", "verdict": "imports", "reason": ""},
            {"module": "n", "verdict": "fails", "reason": "why"},
        ],
    }
    (found,) = summarize([report], [{"package": "x", "what": "XHook", "error": "E: no"}])
    assert found == {
        "package": "x",
        "version": "1",
        "imports": 1,
        "others": [{"module": "n", "verdict": "fails", "reason": "why"}],
        "use": "failed: E: no",
    }


def test_the_record_has_every_package_of_the_plans() -> None:
    packages = [one["package"] for one in read_record()]
    assert sorted(name for plan in PLANS for name in list_recorded(plan)) == packages


@pytest.mark.soak
@pytest.mark.network
@pytest.mark.parametrize("plan", PLANS)
def test_what_can_be_imported_and_used_is_as_recorded(plan: str) -> None:
    measured = measure(plan)
    assert [(one["package"], one["use"]) for one in measured if one["use"].startswith("failed")] == []
    recorded = list_recorded(plan)
    assert sorted(measured, key=lambda one: str(one["package"])) == [
        one for one in read_record() if one["package"] in recorded
    ]
