"""Cases about what a run is: its type, and the date that stands for a logical date that it does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
import time_machine
from msgspec.structs import replace
from tests.conformance.case_dags import load_case
from tests.conformance.inprocess import run_dag, run_facts

from gnomon.ground.config import load_config, set_current_config
from gnomon.model.instants import to_instant

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def default_options(tmp_path: Path) -> Iterator[None]:
    """Default options, in a home of its own."""
    set_current_config(load_config({}, tmp_path))
    yield
    set_current_config(None)


def test_a_branch_by_date_takes_run_after_for_a_logical_date_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "show", show := ModuleType("show"))
    show.show = print  # type: ignore[attr-defined]  # the file shows its run when it is called as a program
    run = replace(
        run_facts("c14b", logical_date=None, conf={}, run_type="manual"),
        run_after=to_instant(datetime(2024, 5, 1, 12, tzinfo=UTC)),
    )
    observed = run_dag(load_case("branch-without-logical-date"), run)
    states = {task_id: state for (task_id, _), (state, _) in observed.tasks.items()}
    assert {name: states[name] for name in ("wed", "other", "inside", "outside")} == {
        "wed": "success",
        "other": "skipped",
        "inside": "success",
        "outside": "skipped",
    }


@pytest.mark.parametrize("run_type", ["backfill", "scheduled", "operator_triggered", "asset_materialization"])
@pytest.mark.parametrize("month", [1, 2, 3])
def test_latest_only_skips_a_past_date_in_every_run_that_no_person_triggered(run_type: str, month: int) -> None:
    run = run_facts("c20", logical_date=datetime(2019, month, 1, 8, tzinfo=UTC), conf={}, run_type=run_type)
    assert run_dag(load_case("latest-only-in-backfill"), run).tasks["work", -1] == ("skipped", 0)


def test_latest_only_skips_nothing_in_a_run_that_a_person_triggered() -> None:
    run = run_facts("c20", logical_date=datetime(2019, 1, 1, 8, tzinfo=UTC), conf={}, run_type="manual")
    assert run_dag(load_case("latest-only-in-backfill"), run).tasks["work", -1] == ("success", 1)


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (datetime(2019, 2, 1, 8, 0, 0, tzinfo=UTC), "skipped"),
        (datetime(2019, 2, 1, 8, 0, 1, tzinfo=UTC), "success"),
        (datetime(2019, 3, 1, 8, 0, 0, tzinfo=UTC), "success"),
        (datetime(2019, 3, 1, 8, 0, 1, tzinfo=UTC), "skipped"),
    ],
)
@pytest.mark.parametrize("run_type", ["backfill", "scheduled"])
def test_latest_only_passes_after_its_date_up_to_the_next(run_type: str, now: datetime, state: str) -> None:
    run = run_facts("c20", logical_date=datetime(2019, 2, 1, 8, tzinfo=UTC), conf={}, run_type=run_type)
    with time_machine.travel(now, tick=False):
        assert run_dag(load_case("latest-only-in-backfill"), run).tasks["work", -1][0] == state
