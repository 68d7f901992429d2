"""`gnomon simulate`: the runs of a folder, with real schedules, waits and pools, and the durations that options name."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon

SHOP = """
from datetime import datetime, UTC
from gnomon import DAG, After, task

with DAG("orders", schedule="0 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=True):
    @task(pool="etl")
    def extract(): ...
    @task(pool="etl")
    def check(): ...
    [extract(), check()]

with DAG("report", schedule="30 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC), depends_on=[After("orders")]):
    @task
    def build(): ...
    build()
"""
AUTHOR = """
from datetime import datetime, timedelta, UTC
from gnomon import DAG, task
from gnomon.timetables import DagRunInfo, Timetable

class EveryFiveHours(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        at = datetime(2026, 3, 1, tzinfo=UTC) if last is None else last.end + timedelta(hours=5)
        return DagRunInfo.exact(at)

    def infer_manual_data_interval(self, *, run_after):
        raise NotImplementedError

with DAG("mine", schedule=EveryFiveHours(), start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=True):
    @task
    def one(): ...
    one()
"""
DAY = ("--from", "2026-03-01T00:00+00:00", "--for", "1d")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "shop.py").write_text(SHOP)
    return tmp_path / "dags"


def simulate(gnomon: Gnomon, folder: Path, *options: str) -> dict[str, Any]:
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, "-o", "json", *options)
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def clock_times(run: dict[str, Any]) -> tuple[str, ...]:
    return tuple(run[name][11:19] for name in ("run_after", "started_at", "ended_at"))


def test_a_run_starts_when_the_run_that_it_waits_for_has_ended(gnomon: Gnomon, folder: Path) -> None:
    answer = simulate(gnomon, folder, "--set", "orders.extract=45m", "--set", "report=10m", "--pool", "etl=4")
    orders, report = answer["runs"]
    assert (orders["dag_id"], *clock_times(orders)) == ("orders", "02:00:00", "02:00:00", "02:45:00")
    assert (report["dag_id"], *clock_times(report)) == ("report", "02:30:00", "02:45:00", "02:55:00")
    assert answer["assumptions"] == [
        "the duration of 1 task is not named, and no recorded one is read: it is assumed to take 1 min (orders.check); name it with --set DAG.TASK=SPAN, "
        "or another assumption with --assume SPAN, or ask `gnomon forecast`, which reads recorded ones"
    ]


def test_a_pool_of_one_slot_lets_tasks_run_one_after_the_other(gnomon: Gnomon, folder: Path) -> None:
    answer = simulate(gnomon, folder, "--assume", "20m", "--pool", "etl=1", "--tasks", "orders")
    assert [(task["task"], task["started_at"][11:16], task["ended_at"][11:16]) for task in answer["tasks"]] == [
        ("extract", "02:00", "02:20"),
        ("check", "02:20", "02:40"),
    ]


def test_a_failure_holds_up_what_waits_and_the_answer_says_why(gnomon: Gnomon, folder: Path) -> None:
    orders, report = simulate(gnomon, folder, "--fail", "orders.check")["runs"]
    assert orders["state"] == "failed"
    assert (report["state"], report["started_at"]) == ("queued", None)
    assert "orders" in report["waits"]
    code, out, _ = gnomon("simulate", "--dags", str(folder), *DAY, "--fail", "orders.check")
    assert code == 0 and "has not ended: " in out


def test_a_frozen_dag_has_no_runs_and_is_waited_for_in_vain(gnomon: Gnomon, folder: Path) -> None:
    (report,) = simulate(gnomon, folder, "--freeze", "orders")["runs"]
    assert (report["dag_id"], report["state"]) == ("report", "queued")


def test_lines_of_csv_are_the_records_of_json(gnomon: Gnomon, folder: Path) -> None:
    runs = simulate(gnomon, folder)["runs"]
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, "-o", "csv")
    assert code == 0 and "assumed" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["ended_at"] for row in rows] == [run["ended_at"] for run in runs]
    assert list(rows[0]) == list(runs[0])


def test_csv_without_a_row_has_the_same_names(gnomon: Gnomon, folder: Path) -> None:
    for option in ((), ("--tasks",)):
        whole = gnomon("simulate", "--dags", str(folder), *DAY, "-o", "csv", *option).out
        empty = gnomon("simulate", "--dags", str(folder), "--from", DAY[1], "--for", "1h", "-o", "csv", *option).out
        assert whole.splitlines()[:1] == empty.splitlines()


def test_an_expectation_about_a_dag_without_a_run_says_nothing_and_is_told(gnomon: Gnomon, folder: Path) -> None:
    code, out, err = gnomon(
        "simulate", "--dags", str(folder), *DAY[:3], "1h", "--expect", "report ends before 03:00", "-o", "json"
    )
    assert (code, err) == (1, "gnomon: 1 violation of expectations\n")
    (sentence,) = json.loads(out)["violations"]
    assert sentence.startswith("'report ends before 03:00' says nothing: DAG report has no run in the simulated time; ")


def test_a_timetable_of_an_author_is_asked_in_a_process_of_its_own(gnomon: Gnomon, folder: Path) -> None:
    (folder / "mine.py").write_text(AUTHOR)
    runs = simulate(gnomon, folder, "mine")["runs"]
    assert [run["run_after"][11:16] for run in runs] == ["00:00", "05:00", "10:00", "15:00", "20:00"]


def test_an_expectation_that_does_not_hold_is_an_exit_code_and_a_sentence(gnomon: Gnomon, folder: Path) -> None:
    day = ("simulate", "--dags", str(folder), *DAY, "--set", "orders=45m")
    kept = (
        "--expect",
        "report ends before 03:00",
        "--expect",
        "orders.extract takes less than 50m",
        "--expect",
        "report starts after 02:40",
    )
    assert gnomon(*day, *kept).code == 0
    code, out, err = gnomon(
        *day, "--expect", "report ends before 02:46", "--expect", "orders.check takes less than 45m"
    )
    assert (code, err) == (1, "gnomon: 2 violations of expectations\n")
    assert "'report ends before 02:46' does not hold for the run of DAG report that is due at 2026-03-01T02:30" in out
    assert "it takes 45 min" in out
    code, out, _ = gnomon(*day, "--fail", "orders.check", "--expect", "report ends before 23:00")
    assert code == 1 and "it never ends" in out
    assert (
        gnomon(*day, "--fail", "orders.check", "--expect", "report ends before 01:00 +1 day").code == 0
    )  # later than the simulation


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--set", "orders.load=5m"],
            "--set orders.load=5m names 'orders.load', which is no DAG and no task of a DAG",
        ),
        (["--set", "orders=soon"], "--set 'orders=soon' is not DAG.TASK=SPAN, for example load.copy=10m"),
        (
            ["--set", "orders=1m", "--set", "orders=2m"],
            "'orders' is changed twice, by --set orders=1m and by --set orders=2m; keep one",
        ),
        (["--pool", "etl=-2"], "--pool 'etl=-2' is not NAME=SLOTS, for example etl=4"),
        (["--freeze", "invoices"], "--freeze invoices names 'invoices', which is no DAG"),
        (["--expect", "report is early"], "--expect 'report is early' is not 'report ends before 07:00'"),
        (["--expect", "report ends before 27:00"], "--expect 'report ends before 27:00' is not"),
        (["--expect", "invoices ends before 07:00"], "names 'invoices', which is no DAG and no task"),
        (["--for", "40000d"], "--for '40000d' is not a span above zero and of at most 10 years"),
        (["--for", "36525d"], "--for '36525d' is not a span above zero and of at most 10 years; write 12h, 1d or 30d"),
        (["--set", "orders=-100%"], "--set 'orders=-100%' is not DAG.TASK=SPAN"),
        (["--set", "orders=inf"], "--set 'orders=inf' is not DAG.TASK=SPAN"),
        (
            ["--set", "orders.check=1m", "--set", "orders.check.duration=+5%"],
            "'orders.check' is changed twice, by --set orders.check=1m and by --set orders.check.duration=+5%",
        ),
        (
            ["--pool", "elt=2"],
            "names the pool 'elt', which is no known pool; the pools are default_pool, etl",
        ),
        (["--length", "orders=2"], "--length orders=2 names 'orders', which is no DAG"),
        (["--length", "orders.check=2"], "names 'orders.check', but no task is mapped over what it returns"),
        (
            ["--freeze", "orders", "--set", "orders=1m"],
            "--set orders=1m is about DAG orders, which --freeze orders leaves out; remove one of the two",
        ),
        (["--for", "0s"], "--for '0s' is not a span above zero"),
        (
            ["--schedule", "orders=0 3 * *"],
            "--schedule orders=0 3 * * gives DAG 'orders' a schedule that cannot be read",
        ),
        (["--schedule", "invoices=@daily"], "--schedule invoices=@daily names 'invoices', which is no DAG"),
        (["--schedule", "orders=None"], "gives DAG 'orders' a schedule that cannot be read"),
        (["--delay", "orders.load=1h"], "--delay orders.load=1h names 'orders.load'"),
        (["--delay", "orders"], "--delay 'orders' is not DAG.TASK=SPAN, for example source.arrival=1h"),
        (["--from", "soon"], "--from 'soon' is not a time such as 2026-03-01"),
        (["invoices"], "the command line names 'invoices', which is no DAG"),
        (["a.toml", "b.toml"], "'b.toml' is a second scenario file"),
        (["a.toml"], "the scenario file a.toml cannot be read: No such file or directory"),
    ],
)
def test_a_scenario_that_names_what_is_not_there_is_refused(
    gnomon: Gnomon, folder: Path, options: list[str], message: str
) -> None:
    code, out, err = gnomon("simulate", "--dags", str(folder), *options)
    assert (code, out) == (1, "")
    assert message in err


def test_a_folder_with_a_broken_file_is_refused_with_its_error(gnomon: Gnomon, folder: Path) -> None:
    (folder / "broken.py").write_text("from gnomon import DAG\nDAG(")
    code, _, err = gnomon("simulate", "--dags", str(folder))
    assert code == 1 and "broken.py" in err
    for file in folder.iterdir():
        file.write_text("from gnomon import DAG\nDAG(")
    code, _, err = gnomon("simulate", "--dags", str(folder), "--skip-broken")
    assert code == 1 and "as 2 files cannot be loaded and are left out (broken.py, shop.py); name a folder with" in err
    code, _, err = gnomon("simulate", "--dags", str(folder / "missing"))
    assert code == 1 and "is not a folder" in err


CONTINUOUS = """
from datetime import datetime, UTC
from gnomon import DAG
from gnomon.operators import EmptyOperator

with DAG("always", schedule="@continuous", start_date=datetime(2026, 1, 1, tzinfo=UTC), max_active_runs=1):
    EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")
"""


def test_a_dag_that_follows_its_runs_and_takes_no_time_is_assumed_to_take_some(gnomon: Gnomon, folder: Path) -> None:
    (folder / "always.py").write_text(CONTINUOUS)
    answer = simulate(gnomon, folder, "always", "--assume", "6h")
    assert [run["started_at"][11:16] for run in answer["runs"]] == ["00:00", "06:00", "12:00", "18:00"]
    assert any("is assumed to take 6 h" in text and "always.first" in text for text in answer["assumptions"])
