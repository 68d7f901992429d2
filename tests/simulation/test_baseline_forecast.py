"""Baselines of a deployment whose durations are known: probability, quantiles, key path over DAGs, and what is over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.simulation.test_forecast import DAY, HISTORY_DAYS, MINUTE, START, Known, spec_of

from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.baseline_forecast import BaselineCollector, list_subjects
from gnomon.entry.projection.forecast import Drawing, draw_futures
from gnomon.entry.projection.snapshot import read_snapshot
from gnomon.entry.simulate.year_simulation import SETTINGS, YearSimulation
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast
from gnomon.model.instants import Instant
from gnomon.model.sentences import render
from gnomon.storage.store import Database, open_database

MORNING = START + HISTORY_DAYS * DAY
"""Midnight of the day that is judged."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """At ten past two of the day: `extract` runs, `report` is to come."""
    url = f"sqlite:///{tmp_path_factory.mktemp('baselines') / 'b.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER)
    it = YearSimulation(db, seed=5, start=START, script=Known().play)
    it.parse(spec_of("orders", "0 2 * * *", "extract", "load"), "1")
    it.parse(spec_of("report", "15 2 * * *", "build", after="orders"), "1")
    it.run_until(MORNING + 130 * MINUTE)
    return db


def judge(
    db: Database, *specs: BaselineSpec, samples: int = 200, home: Path = Path("/nowhere")
) -> tuple[list[BaselineForecast | None], list[str]]:
    now = MORNING + 130 * MINUTE
    snapshot = read_snapshot(db, now)
    with db.read() as tx:
        subjects, faults = list_subjects(tx, specs, [], snapshot, BaselineCalendars(home))
    collector = BaselineCollector(subjects, snapshot)
    for future in draw_futures(snapshot, SETTINGS, now + DAY, Drawing(samples, with_tasks=True, max_s=600.0)):
        collector.add(future.runs)
    return [collector.build(subject, ()) for subject in subjects], [render(fault) for fault in faults]


def minutes(at: Instant | None) -> float:
    """After midnight of the day."""
    assert at is not None
    return (at - MORNING) / MINUTE


@pytest.mark.parametrize(("by", "least", "most"), [("02:30", 1.0, 1.0), ("02:50", 0.35, 0.65), ("03:10", 0.0, 0.0)])
def test_the_probability_is_that_of_the_known_durations(database: Database, by: str, least: float, most: float) -> None:
    """`orders` ends evenly between 2:30 and 2:50, `report` 5 to 15 minutes later: half of the ends are after 2:50."""
    (forecast,), _ = judge(database, BaselineSpec(name="b", of=("report",), by=by))
    assert forecast is not None
    assert least <= forecast.breach <= most
    assert minutes(forecast.end_p50) == pytest.approx(170, abs=4)
    assert minutes(forecast.end_p90) == pytest.approx(179, abs=4)
    assert forecast.unfinished == 1


def test_the_key_path_goes_over_dags_and_its_latest_starts_leave_no_room(database: Database) -> None:
    (forecast,), _ = judge(database, BaselineSpec(name="b", of=("report",), by="04:00"))
    assert forecast is not None
    assert [(step.dag_id, step.task) for step in forecast.key_path] == [
        ("orders", "extract"),
        ("orders", "load"),
        ("report", "build"),
    ]
    for step, following in zip(forecast.key_path, forecast.key_path[1:], strict=False):
        assert step.end == following.start
        assert following.waited_s == 0
    last = forecast.key_path[-1]
    assert last.latest_start is not None
    assert minutes(last.latest_start) + (last.end - last.start) / MINUTE == pytest.approx(240, abs=1)
    assert forecast.costly == 0  # `extract` takes the most
    assert forecast.slack_s == pytest.approx((240 - 179) * 60, abs=240)


def test_a_task_is_promised_alone_and_what_has_ended_is_over(database: Database) -> None:
    (task, report), _ = judge(
        database,
        BaselineSpec(name="load", of=("orders.load",), by="04:00"),
        BaselineSpec(name="both", of=("orders", "report"), by="02:05"),
    )
    assert task is not None and report is not None
    assert [step.task for step in task.key_path] == ["extract", "load"]
    assert minutes(report.due_at) == 24 * 60 + 125  # that of today is past and was not judged before: the next one is


def test_a_name_that_is_nothing_is_told_and_a_day_without_a_run_is_not_judged(database: Database) -> None:
    specs = [
        BaselineSpec(name="a", of=("reprot",), by="04:00", place="gnomon.toml, line 3"),
        BaselineSpec(name="b", of=("report.nothing",), by="04:00", place="gnomon.toml, line 9"),
        BaselineSpec(name="c", of=("report",), by="02:15"),
    ]
    forecasts, faults = judge(database, *specs, samples=2)
    assert faults == [
        "gnomon.toml, line 3: baseline 'a' names 'reprot', which is no DAG and no task of a DAG; write DAG or DAG.TASK",
        "gnomon.toml, line 9: baseline 'b' names 'report.nothing', which is no DAG and no task of a DAG; write DAG or DAG.TASK",
    ]
    assert forecasts == [None]  # its slot is at 2:15 and not before it


def test_a_calendar_that_is_not_there_or_ends_is_told_and_the_days_are_judged(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "gnomon.toml").write_text(
        '[calendars.short]\ndates = ["2020-01-01"]\nsince = "2020-01-01"\nuntil = "2020-02-01"\n'
    )
    spec = BaselineSpec(name="b", of=("report",), by="04:00", calendar="short", place="gnomon baselines edit b")
    forecasts, (ends,) = judge(database, spec, samples=2, home=tmp_path)
    assert forecasts[0] is not None
    assert ends.startswith("gnomon baselines edit b: calendar 'short' of baseline 'b' does not know 2020-02-02 and")
    forecasts, (gone,) = judge(database, replace(spec, calendar="shrt"), samples=2, home=tmp_path)
    assert forecasts[0] is not None
    assert "its calendar cannot be used: there is no calendar 'shrt'" in gone and "did you mean 'short'?" in gone


def test_futures_are_the_same_for_the_same_seed(database: Database) -> None:
    spec = BaselineSpec(name="b", of=("report",), by="02:50")
    assert judge(database, spec, samples=20) == judge(database, spec, samples=20)
