"""What fixed work takes stays within its recorded budget, counted in what does not depend on the machine. No test asserts a time: these do instead."""

from __future__ import annotations

import pytest
from tests.budget import recorded_budgets
from tests.budget.child_costs import count_child, count_frames, count_system_calls
from tests.budget.counted_work import WORKS
from tests.budget.imported_modules import PROCESSES, count
from tests.budget.recorded_budgets import count_in_process, find_difference

HAS_RECORD = pytest.mark.skipif(
    not recorded_budgets.read("child"), reason=f"no budgets are recorded for Python {recorded_budgets.PYTHON}"
)


@HAS_RECORD
@pytest.mark.parametrize("name", WORKS)
def test_the_scheduler_takes_no_more_for_fixed_work(name: str) -> None:
    counts = count_in_process("tests.budget.counted_work", name)
    assert find_difference(f"scheduler, {name}", counts["work"]) is None
    if name == "wide":
        assert find_difference("scheduler, idle", counts["idle"]) is None


@HAS_RECORD
@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_loads_no_more_modules(name: str) -> None:
    assert find_difference(f"modules, {name}", count(PROCESSES[name])) is None


@HAS_RECORD
def test_a_child_touches_no_more_pages() -> None:
    """Page faults of equal children differ by some percent between runs: where the system puts libraries decides which pages they share."""
    assert find_difference("child", count_child(), tolerance=0.08) is None


@HAS_RECORD
def test_a_child_makes_no_more_system_calls() -> None:
    assert find_difference("child, system calls", count_system_calls()) is None


@HAS_RECORD
def test_a_task_takes_no_more_frames() -> None:
    assert find_difference("worker, frames", count_frames()) is None


def test_more_than_the_budget_names_what_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = {"Python calls": 100, "statements": 10, "calls of a.py:f": 40, "calls of a.py:g": 60}
    monkeypatch.setattr(recorded_budgets, "read", lambda _: recorded)
    grown = {"Python calls": 150, "statements": 10, "calls of a.py:f": 90, "calls of a.py:g": 60}
    said = find_difference("work", grown)
    assert said is not None
    assert "Python calls 100 -> 150" in said
    assert "calls of a.py:f: +50" in said
    assert "a.py:g" not in said
    assert find_difference("work", {**recorded, "Python calls": 103}) is None


def test_less_than_the_budget_is_to_be_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_budgets, "read", lambda _: {"statements": 100})
    assert find_difference("work", {"statements": 97}) is None
    assert recorded_budgets.RECORD in str(find_difference("work", {"statements": 90}))
