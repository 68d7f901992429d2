"""Faults planted in small deployments: a command names the cause in words before it happens, and says nothing of it without the fault.

The table in docs/contributing/simulation.md lists them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.simulation.test_forecast import spec_of
from tests.stored_baselines import write_baselines
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import NOW

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.projection.forecast_report import ForecastReporter
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND
from gnomon.services.monitor.baseline_evaluation import BaselineEvaluation
from gnomon.services.monitor.settings import MonitorSettings
from gnomon.storage.store import load_cipher, open_database
from gnomon.testing import Play

MINUTE, DAY = 60 * SECOND, 86_400 * SECOND
HEAD = """
from datetime import UTC, datetime
from zoneinfo import ZoneInfo
from gnomon import DAG, After, task
from gnomon.calendars import Dates, Weekends
from gnomon.timetables import BusinessDays

START = datetime(2026, 1, 1, tzinfo=UTC)

def one(name, **kwargs):
    @task(task_id=name, **kwargs)
    def run(): ...
    run()

"""
LOAD_AND_REPORT = """
with DAG("load", schedule="0 2 * * *", start_date=START):
    one("copy_a", pool="etl"), one("copy_b", pool="etl"), one("copy_c", pool="etl")
with DAG("report", schedule="0 2 * * *", start_date=START, depends_on=[After("load")]):
    one("build")
"""
EACH_HOUR = """
with DAG("hourly", schedule="0 * * * *", start_date=START, catchup=True, max_active_runs=1):
    one("crunch")
"""
CLOSING = """
with DAG("closing", schedule=BusinessDays(Weekends(){off}, at="06:00", nth=-1), start_date=START):
    one("book", pool="etl")
with DAG("census", schedule="0 5 29 * *", start_date=START):
    one("count", pool="etl")
"""
NIGHTLY = """
with DAG("nightly", schedule="30 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=ZoneInfo("Europe/Berlin"))):
    one("crunch")
"""
HUNGRY = """
with DAG("hungry", schedule="50 1 * * *", start_date=START):
    for number in range(3):
        one(f"eat_{number}", pool="etl", priority_weight=9)
"""


@dataclass(frozen=True)
class FaultOfFiles:
    """A folder and options; what makes them faulty; and the words that the command must say of the fault, and of nothing else."""

    name: str
    dags: str
    options: tuple[str, ...]
    words: tuple[str, ...]
    sound: tuple[str, ...] = ()
    """Options of the deployment without the fault."""
    faulty: tuple[str, ...] = ()
    faulty_dags: str = ""


FAULTS = (
    FaultOfFiles(
        "a pool too small",
        LOAD_AND_REPORT,
        ("--from", "2026-03-03", "--for", "1d", "--assume", "1h", "--expect", "report ends before 04:30"),
        (
            "'report ends before 04:30' does not hold for the run of DAG report that is due at 2026-03-03T02:00:00Z: it ends at 2026-03-03T06:00:00Z, "
            "because load.copy_c waits 2 h for pool etl with 1 slot, which load.copy_b holds",
        ),
        sound=("--pool", "etl=3"),
        faulty=("--pool", "etl=1"),
    ),
    FaultOfFiles(
        "a queue that grows from day to day, for a limit of the DAG",
        EACH_HOUR,
        ("--from", "2026-03-01", "--for", "7d"),
        (
            "DAG hourly falls behind from day to day: its runs end 1 h 10 min after they are due at first, and 21 h 10 min at last, "
            "because the run begins 20 h after it is due, when an earlier run of DAG hourly has ended (max_active_runs: 1)",
        ),
        sound=("--assume", "50m"),
        faulty=("--assume", "70m"),
    ),
    FaultOfFiles(
        "a queue that grows from day to day, for a pool",
        LOAD_AND_REPORT,
        ("--from", "2026-03-01", "--for", "7d", "--set", "load.copy_a=10h", "--set", "load=1h", "--pool", "etl=1"),
        ("DAG load falls behind from day to day", " for pool etl with 1 slot, which load.copy_b holds"),
        faulty=("--set", "load.copy_b=15h"),
    ),
    FaultOfFiles(
        "a holiday on a month's end",
        CLOSING.format(off=""),
        (
            "--from",
            "2026-04-28",
            "--for",
            "4d",
            "--assume",
            "100m",
            "--pool",
            "etl=1",
            "--expect",
            "closing ends before 08:00",
        ),
        (
            "for the run of DAG closing that is due at 2026-04-29T06:00:00Z: it ends at 2026-04-29T08:20:00Z, because 2026-04-30 is a day off of calendar",
            "closing.book waits 40 min for pool etl with 1 slot, which census.count holds",
        ),
        faulty_dags=CLOSING.format(off=" | Dates(['2026-04-30'])"),
    ),
    FaultOfFiles(
        "a clock change",
        NIGHTLY,
        ("--for", "1d", "--assume", "20m", "--expect", "nightly ends before 03:00"),
        (
            "for the run of DAG nightly that is due at 2026-03-29T01:30:00Z: it ends at 2026-03-29T01:50:00Z, "
            "because the clocks of Europe/Berlin go forward by 1 h on that day, at 2026-03-29T01:00:00Z",
        ),
        sound=("--from", "2026-03-28T00:00Z"),
        faulty=("--from", "2026-03-29T00:00Z"),
    ),
    FaultOfFiles(
        "a DAG that starves another",
        LOAD_AND_REPORT,
        (
            "--from",
            "2026-03-03",
            "--for",
            "1d",
            "--assume",
            "1h",
            "--pool",
            "etl=3",
            "--expect",
            "report ends before 04:30",
        ),
        (
            "'report ends before 04:30' does not hold for the run of DAG report",
            "waits 50 min for pool etl with 3 slots, most of which hungry.eat_",
        ),
        faulty_dags=LOAD_AND_REPORT + HUNGRY,
    ),
)


def simulate(gnomon: Gnomon, folder: Path, fault: FaultOfFiles, *, is_faulty: bool) -> tuple[int, str]:
    text = (fault.faulty_dags if is_faulty else "") or fault.dags
    folder.mkdir(exist_ok=True)
    (folder / "dags.py").write_text(HEAD + text)
    code, out, _ = gnomon(
        "simulate", "--dags", str(folder), *fault.options, *(fault.faulty if is_faulty else fault.sound)
    )
    return code, out


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_simulate_names_the_cause_and_is_silent_without_it(gnomon: Gnomon, tmp_path: Path, fault: FaultOfFiles) -> None:
    code, out = simulate(gnomon, tmp_path / "dags", fault, is_faulty=True)
    assert code == int("--expect" in fault.options)
    for words in fault.words:
        assert words in out
    code, out = simulate(gnomon, tmp_path / "dags", fault, is_faulty=False)
    assert code == 0
    assert "falls behind" not in out and "does not hold" not in out


def test_compare_names_the_dag_that_starves_another(gnomon: Gnomon, tmp_path: Path) -> None:
    (fault,) = (fault for fault in FAULTS if fault.name == "a DAG that starves another")
    simulate(gnomon, tmp_path / "before", fault, is_faulty=False)
    simulate(gnomon, tmp_path / "after", fault, is_faulty=True)
    code, out, _ = gnomon("simulate", "--compare", str(tmp_path / "before"), str(tmp_path / "after"), *fault.options)
    assert code == 1
    assert "longer for pool etl with 3 slots, most of which hungry.eat_" in out
    assert "because load.copy_" in out and "which hungry.eat_" in out
    unchanged = gnomon("simulate", "--compare", str(tmp_path / "before"), str(tmp_path / "before"), *fault.options)
    assert unchanged.code == 0 and "hungry" not in unchanged.out


# ---- faults of which only the record of earlier days tells ------------------------------------------------------------
@dataclass(frozen=True)
class Past:
    """Forty days of a DAG whose runs are due each morning, and then now: 2026-03-01T09:00:00Z, a Sunday."""

    home: Home
    gnomon: Gnomon
    cron: str
    baseline: str
    play: Callable[[Attempt, random.Random], Play]
    new_version_days: int = 0

    def judge(self) -> str:
        """What `gnomon baselines show` says after the monitor has judged."""
        write_baselines(self.home.cfg.home, promise=self.baseline)
        cfg = load_config({"GNOMON__FORECAST__SAMPLES": "20"}, self.home.cfg.home)
        with closing(
            open_database(
                cfg.database_url,
                synchronous="OFF",
                lease_clock=VirtualClock(NOW - 40 * DAY).now,
                cipher=load_cipher(cfg),
            )
        ) as db:
            days = YearSimulation(db, seed=3, start=NOW - 40 * DAY, script=self.play)
            spec = spec_of("night", self.cron, "wait", "build")
            spec = replace(spec, tasks=(replace(spec.tasks[0], is_sensor=not self.new_version_days), spec.tasks[1]))
            days.parse(spec, "1")
            days.run_until(NOW - self.new_version_days * DAY)
            if self.new_version_days:
                days.parse(spec, "2")
                days.run_until(NOW)
            report = ForecastReporter().report(cfg, db, NOW)
            with db.write() as tx:
                BaselineEvaluation(MonitorSettings(), lambda: None).store(tx, report, NOW)  # type: ignore[arg-type, return-value]
        return self.gnomon("baselines", "show", "promise").out


@pytest.mark.parametrize("is_late", [True, False])
def test_a_late_arrival_is_named_before_the_due_time(home: Home, gnomon: Gnomon, is_late: bool) -> None:
    """What `wait` waits for comes at 08:17, give or take two minutes; today it has not come by 09:00."""

    def play(attempt: Attempt, rng: random.Random) -> Play:
        if attempt.task_id == "build":
            return Play(600.0)
        is_today = attempt.run.run_after > NOW - DAY
        return Play(3 * 3600.0 if is_late and is_today else rng.uniform(900.0, 1140.0))

    out = Past(home, gnomon, "0 8 * * *", 'of = ["night"]\nby = "09:15"', play).judge()
    named = "'wait' of DAG night takes the most time: from 2026-03-01T08:00:00Z to" in out
    assert named == ("will be broken" in out) == is_late
    assert (", usually 1" in out) == is_late
    assert ("was met" in out) == (not is_late)


@pytest.mark.parametrize("is_slow", [True, False])
def test_a_slow_new_version_is_named_before_it_breaks_a_promise(home: Home, gnomon: Gnomon, is_slow: bool) -> None:
    """A promise of Mondays; since Thursday `wait`, which is no sensor here, takes 25 minutes instead of 10."""

    def play(attempt: Attempt, rng: random.Random) -> Play:
        is_new = is_slow and attempt.run.run_after > NOW - 4 * DAY
        return Play((1500.0 if is_new and attempt.task_id == "wait" else 600.0) * rng.uniform(0.98, 1.02))

    baseline = 'of = ["night"]\nby = "08:30"\nweekdays = ["mon"]'
    out = Past(home, gnomon, "0 8 * * *", baseline, play, new_version_days=4).judge()
    assert (" since the newest version of the DAG, and " in out) == ("will be broken" in out) == is_slow
    assert ("is safe" in out) == (not is_slow)


def test_the_queue_of_a_pool_is_said_before_it_happens(home: Home, gnomon: Gnomon) -> None:
    gnomon("pools", "set", "etl", "2", "narrow")
    cfg = home.cfg
    with closing(
        open_database(cfg.database_url, synchronous="OFF", lease_clock=lambda: NOW - DAY, cipher=load_cipher(cfg))
    ) as db:
        days = YearSimulation(db, seed=3, start=NOW - DAY, script=lambda _, __: Play(3600.0))
        for name in "abcd":
            spec = spec_of(name, "0 2 * * *", "copy")
            days.parse(replace(spec, catchup=False, tasks=(replace(spec.tasks[0], pool="etl"),)), "1")
        days.run_until(NOW)
    load = ("forecast", "load", "--samples", "2", "--assume", "1h")
    assert (
        "pool etl with 2 slots is too small: from 2026-03-02T02:00:00Z until 2026-03-02T03:00:00Z it is full and up to 2 more are waited for"
        in gnomon(*load).out
    )
    gnomon("pools", "set", "etl", "4", "wide")
    assert "too small" not in gnomon(*load).out
