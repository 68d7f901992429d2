"""Forecasts of a deployment whose durations are known: a third of the quantiles' distance is the most that they may be wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.entry.projection.forecast import ForecastRow, SampledForecast, forecast
from gnomon.entry.projection.snapshot import read_snapshot
from gnomon.entry.simulate.year_simulation import SETTINGS, YearSimulation
from gnomon.model.after import After
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import render
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import open_database
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
DAY, MINUTE = 86_400 * SECOND, 60 * SECOND
HISTORY_DAYS = 40


def spec_of(dag_id: str, cron: str, *tasks: str, after: str | None = None) -> DagSpec:
    return DagSpec(
        dag_id=dag_id,
        timetable=reference(CronTriggerTimetable(cron, timezone="UTC")),
        tasks=tuple(
            TaskSpec(task_id=task, upstream=tasks[place - 1 : place] if place else ())
            for place, task in enumerate(tasks)
        ),
        start_at=START,
        catchup=True,
        paused_upon_creation=False,
        depends_on=() if after is None else (to_dependency_spec(After(after)),),
    )


@dataclass
class Known:
    """Minutes that each task takes, uniformly between two bounds."""

    extract = (20.0, 40.0)
    load = (10.0, 10.0)
    build = (5.0, 15.0)

    def play(self, attempt: Attempt, rng: random.Random) -> Play:
        least, most = getattr(self, attempt.task_id)
        return Play(60.0 * rng.uniform(least, most))


@pytest.fixture
def answers(tmp_path: Path) -> list[SampledForecast]:
    """Two forecasts of one day with the same seed, one with another, at ten past two: `extract` runs, `report` is to come."""
    url = f"sqlite:///{tmp_path / 'forecast.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER)
    it = YearSimulation(db, seed=6, start=START, script=Known().play)
    it.parse(spec_of("orders", "0 2 * * *", "extract", "load"), "1")
    it.parse(spec_of("report", "15 2 * * *", "build", after="orders"), "1")
    now = START + HISTORY_DAYS * DAY + 130 * MINUTE
    it.run_until(now)
    snapshot = read_snapshot(db, now)
    db.close()
    return [
        forecast(snapshot, SETTINGS, now + DAY, samples=200, seed=seed, max_s=600.0, with_tasks=True)
        for seed in (1, 1, 2)
    ]


def row_of(answer: SampledForecast, dag_id: str, place: int = 0) -> ForecastRow:
    return [row for row in answer.rows if row.dag_id == dag_id and row.task is None][place]


def minutes(at: Instant | None) -> float:
    """After two o'clock of the day of the forecast."""
    assert at is not None
    return (at - START - HISTORY_DAYS * DAY) / MINUTE - 120


def test_a_forecast_has_the_quantiles_of_the_known_durations(answers: list[SampledForecast]) -> None:
    answer = answers[0]
    assert (answer.samples, answer.assumptions) == (200, [])
    orders = row_of(answer, "orders")
    assert minutes(orders.start_p50) == 0
    assert minutes(orders.end_p50) == pytest.approx(40, abs=3)  # extract has run for ten of 20 to 40 minutes: 30 and 10
    assert minutes(orders.end_p90) == pytest.approx(48, abs=3)


def test_a_run_that_waits_starts_when_the_other_ends(answers: list[SampledForecast]) -> None:
    report, orders = row_of(answers[0], "report"), row_of(answers[0], "orders")
    assert report.start_p50 == orders.end_p50
    assert minutes(report.end_p50) == pytest.approx(50, abs=4)


def test_the_same_seed_gives_the_same_answer_and_another_nearly(answers: list[SampledForecast]) -> None:
    assert answers[0].rows == answers[1].rows
    assert answers[0].rows != answers[2].rows
    assert minutes(row_of(answers[2], "report").end_p50) == pytest.approx(
        minutes(row_of(answers[0], "report").end_p50), abs=2
    )


def test_runs_that_are_due_within_the_day_are_there_and_tasks_of_each(answers: list[SampledForecast]) -> None:
    tasks = [(row.dag_id, row.task) for row in answers[0].rows if row.task is not None]
    assert sorted(tasks) == [
        ("orders", "extract"),
        ("orders", "extract"),
        ("orders", "load"),
        ("orders", "load"),
        ("report", "build"),
    ]
    assert minutes(row_of(answers[0], "orders", 1).start_p50) == 24 * 60


class FileOfTheNight:
    """`prepare` takes any time up to an hour; the file that `wait` waits for comes at 77 minutes after the slot, give or take five."""

    def __init__(self) -> None:
        self._prepared: dict[Instant, float] = {}

    def play(self, attempt: Attempt, rng: random.Random) -> Play:
        slot = attempt.run.run_after
        if attempt.task_id == "prepare":
            self._prepared[slot] = rng.uniform(1.0, 60.0)
            return Play(60.0 * self._prepared[slot])
        return Play(60.0 * (rng.uniform(72.0, 82.0) - self._prepared[slot]))


@pytest.mark.parametrize("begun", [False, True])
def test_a_sensor_that_begins_late_does_not_end_late(tmp_path: Path, begun: bool) -> None:
    url = f"sqlite:///{tmp_path / 'sensor.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER)
    it = YearSimulation(db, seed=4, start=START, script=FileOfTheNight().play)
    spec = spec_of("night", "0 2 * * *", "prepare", "wait")
    it.parse(replace(spec, tasks=(spec.tasks[0], replace(spec.tasks[1], is_sensor=True))), "1")
    now = START + HISTORY_DAYS * DAY + (120 + 65 if begun else 60) * MINUTE
    it.run_until(now)
    snapshot = read_snapshot(db, now)
    db.close()
    answer = forecast(snapshot, SETTINGS, now + 120 * MINUTE, samples=100, max_s=600.0)
    (night,) = answer.rows
    assert minutes(night.end_p50) == pytest.approx(77, abs=1.5)
    assert minutes(night.end_p90) == pytest.approx(81, abs=1.5)


def test_too_little_time_draws_fewer_samples_and_a_task_without_history_is_assumed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER)
    it = YearSimulation(db, seed=6, start=START, script=Known().play)
    it.parse(spec_of("orders", "0 2 * * *", "extract"), "1")
    it.run_until(START + MINUTE)
    snapshot = read_snapshot(db, START + MINUTE)
    db.close()
    answer = forecast(snapshot, SETTINGS, START + DAY, assumed_s=90.0, max_s=0.0)
    assert (answer.samples, answer.wanted_samples) == (1, 50)
    (row,) = answer.rows
    assert row.end_p50 == row.end_p90 == START + 120 * MINUTE + 90 * SECOND
    assert render(answer.assumptions[0]).startswith(
        "1 task has fewer than three successful tries: it is assumed to take 1 min 30 s (orders.extract)"
    )


def test_what_the_file_expects_counts_until_enough_tries_have_succeeded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'expected.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER)
    it = YearSimulation(db, seed=6, start=START, script=Known().play)
    spec = spec_of("orders", "0 2 * * *", "load")
    it.parse(replace(spec, tasks=(replace(spec.tasks[0], expected_duration_s=1800.0),)), "1")
    it.run_until(START + MINUTE)
    early = read_snapshot(db, START + MINUTE)
    it.run_until(START + 5 * DAY)
    late = read_snapshot(db, START + 5 * DAY)
    db.close()
    for snapshot, taken in ((early, 30), (late, 10)):
        answer = forecast(snapshot, SETTINGS, snapshot.at + DAY, samples=1)
        (row,) = answer.rows
        assert row.start_p50 is not None and row.end_p50 == row.start_p50 + taken * MINUTE
        assert answer.assumptions == []
