"""`gnomon.testing.simulation`: a schedule as a test sees it, and what its assertions say."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.architecture.test_docs import _script
from tests.unit.entry.cli.test_simulate import SHOP

from gnomon.calendars import Weekends
from gnomon.model.errors.product import UserError
from gnomon.testing.simulation import SimulatedSchedule, simulate

pytestmark = pytest.mark.ordinary

ROOT = Path(__file__).parents[4]
BERLIN = """
import zoneinfo
from datetime import datetime
from gnomon import DAG, task

with DAG("night", schedule="30 1 * * *", start_date=datetime(2026, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))):
    @task
    def work(): ...
    work()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "shop.py").write_text(SHOP)
    return tmp_path / "dags"


def days(folder: Path, **options: Any) -> SimulatedSchedule:
    arguments: dict[str, Any] = {
        "start": date(2026, 3, 2),
        "days": 7,
        "pools": {"etl": 2},
        "durations": {"orders": "45m"},
    } | options
    return simulate(folder, **arguments)


def test_runs_have_local_times_and_tasks(folder: Path) -> None:
    (folder / "night.py").write_text(BERLIN)
    (run,) = days(folder, start=date(2026, 3, 29), days=0.5, durations={"night": timedelta(hours=3)}).list_runs("night")
    assert (run.slot.hour, run.slot.minute, run.day, run.state) == (1, 30, date(2026, 3, 29), "success")
    assert run.end is not None and (run.end.hour, run.end.minute) == (5, 30)  # one hour is skipped
    assert run.duration == timedelta(hours=3)
    assert [(task.task_id, task.state, task.try_number) for task in run.tasks] == [("work", "success", 1)]


def test_what_holds_raises_nothing(folder: Path) -> None:
    schedule = days(folder)
    schedule.assert_done_by("report", "03:00", on=Weekends())
    schedule.assert_done_by("orders.extract", "02:45")
    schedule.assert_order("orders", "report")
    schedule.assert_success()
    schedule.assert_expectation("report ends before 03:00")


def test_a_late_run_is_named_with_its_day_and_by_how_much(folder: Path) -> None:
    with pytest.raises(AssertionError) as failure:
        days(folder, delays={"orders": "10m"}).assert_done_by("report", "02:50", on=Weekends())
    lines = str(failure.value).splitlines()
    assert lines[0] == "report is not done by 02:50 on 5 of 5 days:"
    assert lines[1] == "  Mon 2026-03-02: the run due at 02:30 ends at 02:56:00, 6 min late"
    assert "report.build" in lines[-1] and "assumed" in lines[-1]


def test_a_day_without_a_run_is_named(folder: Path) -> None:
    with pytest.raises(AssertionError, match="Wed 2026-03-04: no run is due"):
        days(folder, schedules={"report": "30 2 * * 1"}).assert_done_by("report", "03:00", on=[date(2026, 3, 4)])
    days(folder, schedules={"report": "30 2 * * 1"}).assert_done_by("report", "03:00")


def test_a_run_that_does_not_end_is_named_with_its_reason(folder: Path) -> None:
    with pytest.raises(AssertionError, match="the run due at 02:30 has not ended: .*orders"):
        days(folder, failing=["orders.check"]).assert_done_by("report", "03:00")
    with pytest.raises(AssertionError, match="7 runs do not succeed:\n  orders, due at Mon 2026-03-02 02:00: failed"):
        days(folder, failing=["orders.check"]).assert_success()


def test_a_wrong_order_is_named(folder: Path) -> None:
    with pytest.raises(AssertionError) as failure:
        days(folder).assert_order("report", "orders")
    lines = str(failure.value).splitlines()
    assert lines[0] == "orders starts before report has ended, 7 times:"
    assert (
        lines[1] == "  Mon 2026-03-02: orders starts at 02:00:00, but report (due at 02:30) ends at 02:46:00"
        and lines[6] == "  ... and 2 more"
    )


def test_an_assertion_that_judges_nothing_fails(folder: Path) -> None:
    with pytest.raises(AssertionError, match="the assertion says nothing"):
        days(folder, days=0.1).assert_done_by("report", "03:00")
    with pytest.raises(AssertionError, match="the assertion says nothing"):
        days(folder, schedules={"report": "30 2 1 1 *"}).assert_order("orders", "report")


def test_durations_between_two_spans_are_drawn_and_the_same_seed_draws_the_same(folder: Path) -> None:
    def measure(seed: int) -> list[timedelta | None]:
        schedule = days(folder, durations={"report": ("5m", 600), "orders": "1m..2m"}, seed=seed)
        return [run.duration for run in schedule.list_runs("report")]

    drawn = measure(1)
    assert drawn == measure(1) != measure(2)
    assert len(set(drawn)) == 7
    assert all(span is not None and timedelta(minutes=5) <= span <= timedelta(minutes=10) for span in drawn)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"durations": {"rep": "1m"}}, "simulate(durations={'rep': '1m'}) names 'rep', which is no DAG"),
        ({"durations": {"report": ("9m", "5m")}}, "simulate(durations={'report': '9m..5m'}) '9m..5m' is not DAG.TASK="),
        ({"pools": {"elt": 1}}, "names the pool 'elt', which is no known pool"),
        ({"start": "soon"}, "simulate(start='soon') 'soon' is not a time such as"),
        ({"failing": ["x"]}, "simulate(failing='x') names 'x'"),
    ],
)
def test_what_is_not_there_is_refused_with_its_argument(folder: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as refusal:
        days(folder, **options)
    assert message in str(refusal.value)


def test_a_wrong_time_and_a_wrong_name_of_an_assertion_are_refused(folder: Path) -> None:
    schedule = days(folder)
    with pytest.raises(ValueError, match="'7' is not a time of day; write '07:00'"):
        schedule.assert_done_by("report", "7")
    with pytest.raises(UserError, match="assert_order names 'rep'"):
        schedule.assert_order("orders", "rep")


def test_a_scenario_file_and_a_start_in_utc(folder: Path) -> None:
    file = folder.parent / "night.toml"
    file.write_text('dags = "dags"\n[set]\norders = "45m"\n')
    schedule = simulate(str(file), start=datetime.fromisoformat("2026-03-02T00:00+00:00"), days=1)
    assert [run.dag_id for run in schedule.runs] == ["orders", "report"]


def test_the_page_is_a_test_that_passes(tmp_path: Path) -> None:
    for name, text in _script("check").files_of(ROOT / "docs" / "how-to" / "test-your-schedule.md").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    ended = subprocess.run(command, cwd=tmp_path / "package", capture_output=True, text=True, check=False)
    assert "2 passed" in ended.stdout, ended.stdout + ended.stderr
