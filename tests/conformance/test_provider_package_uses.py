"""Forty published provider packages are installed by one plan; what of each can be imported is as recorded, and each use of them succeeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conformance.provider_environment import build_environment, check_packages, read_record, run_uses, summarize

LEAST = 30
"""So many packages are in use."""


def test_the_record_has_no_use_that_failed() -> None:
    record = read_record()
    assert [one["package"] for one in record if one["use"].startswith("failed")] == []
    assert sum(bool(one["use"]) for one in record) >= LEAST


def test_a_use_that_fails_is_recorded_as_such() -> None:
    report: dict[str, Any] = {"package": "apache-airflow-providers-x", "version": "1", "modules": [
        {"module": "m", "verdict": "imports", "reason": ""}, {"module": "n", "verdict": "fails", "reason": "why"}]}  # fmt: skip
    (found,) = summarize([report], [{"package": "x", "what": "XHook", "error": "E: no"}])
    assert found == {"package": "x", "version": "1", "imports": 1, "others": [{"module": "n", "verdict": "fails", "reason": "why"}], "use": "failed: E: no"}


@pytest.mark.soak
@pytest.mark.network
def test_what_can_be_imported_and_used_is_as_recorded() -> None:
    folder: Path = build_environment()
    uses = run_uses(folder)
    assert [(one["package"], one["error"]) for one in uses if one["error"]] == []
    assert summarize(check_packages(folder), uses) == read_record()
