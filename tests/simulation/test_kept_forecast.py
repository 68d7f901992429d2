"""A forecast that follows others says what one without a past says, and draws only what it must."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from bench.projection import build_snapshot
from tests.databases import create_schema
from tests.simulation.test_forecast import START, spec_of
from tests.stored_baselines import write_baselines

from gnomon.entry.projection.forecast import Drawing, ForecastRow, Future
from gnomon.entry.projection.forecast_report import ForecastReporter
from gnomon.entry.projection.kept_forecast import KeptForecast
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.entry.simulate.year_simulation import SETTINGS, YearSimulation
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import Config, load_config
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.records import PoolRecord
from gnomon.rules.durations.day_class import classify
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.testing import Play

from .projected_deployments import run_with_snapshots
from .test_independent_dags import build_loose
from .test_undisturbed_runs import CalmDeployment

DAY = 86_400 * SECOND
FIRST_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "900"))
MANY = int(os.environ.get("GNOMON_SOAK_DEPLOYMENTS", "300"))
DRAWING = Drawing(samples=3, max_s=1e9)


class Watch:
    """Counts the runs of the futures that it sees. A future of all DAGs takes so long."""

    def __init__(self, whole_s: float = 0.0) -> None:
        self.runs, self._now, self._whole_s, self._draws_all = 0, 0.0, whole_s, False

    def begin(self, drawn: Collection[str] | None) -> None:
        self._draws_all = drawn is None

    def add(self, future: Future) -> None:
        self.runs += len(future.runs)
        self._now += self._whole_s if self._draws_all else 0.0

    def add_whole(self, future: Future) -> None:
        self.runs += len(future.runs)
        self._now += self._whole_s

    def read_clock(self) -> float:
        return self._now


class Trial:
    """A day of a deployment, with forecasts in it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"kept {seed}")
        self.deployment: CalmDeployment = replace(build_loose(seed), has_hidden_starts=False)
        self.drawn = self.dags = 0
        """DAGs that were drawn, and DAGs that there were, of all forecasts but the first."""
        self.most = 0
        """The most futures of a forecast that was cut."""

    def list_instants(self) -> list[Instant]:
        rng, deployment = self.rng, self.deployment
        at = (
            deployment.start
            + (deployment.end - deployment.start) // (2 * DAY) * DAY
            + rng.choice((0, 1, 3, 5)) * 3600 * SECOND
        )
        instants = []
        for _ in range(6):
            at += rng.choice((1, 1, 10, 60, 300, 3600, 5 * 3600)) * SECOND
            instants.append(at)
        return instants

    def add_models(self, snapshots: list[Snapshot]) -> None:
        """Durations, some of which change from one snapshot to the next."""
        rng = self.rng
        models: dict[tuple[str, str], DurationModel] = {}
        for spec in self.deployment.specs:
            for task in spec.tasks:
                if rng.random() < 0.8:
                    models[spec.dag_id, task.task_id] = self.build_model(snapshots[0].at)
        for snapshot in snapshots:
            for key in models:
                if rng.random() < 0.05:
                    models[key] = self.build_model(snapshot.at)
            snapshot.models.clear()
            snapshot.models.update(models)

    def build_model(self, at: Instant) -> DurationModel:
        rng = self.rng
        model = DurationModel(tries=20, failed_tries=rng.choice((0, 0, 0, 1)))
        if rng.random() < 0.2:
            model.arrivals = DurationModel(tries=20)
        for day in range(10):
            of_day = classify(to_datetime(at - day * DAY).date(), "scheduled")
            model.add(of_day, rng.uniform(0.0, 900.0))
            if model.arrivals is not None:
                model.arrivals.add(of_day, rng.uniform(0.0, 1800.0))
        return model

    def check(self, folder: Path) -> None:
        instants = self.list_instants()
        snapshots = run_with_snapshots(folder, self.deployment, instants)[1]
        self.add_models(snapshots)
        until = instants[0] + 20 * 3600 * SECOND
        kept = KeptForecast()
        for number, snapshot in enumerate(snapshots):
            if self.rng.random() < 0.1:
                until += 3600 * SECOND
            rows = self.draw(kept, snapshot, until)
            if number:
                count = len(snapshot.state.dags)
                self.dags += count
                self.drawn += count if kept.drawn is None else len(kept.drawn)
            assert rows == self.draw(KeptForecast(), snapshot, until)

    def check_cut(self, folder: Path) -> None:
        """Each forecast has the time for one future of all DAGs: the next one adds another."""
        snapshots = run_with_snapshots(folder, self.deployment, self.list_instants())[1]
        self.add_models(snapshots)
        until, watch = snapshots[0].at + 20 * 3600 * SECOND, Watch(whole_s=2.0)
        kept, samples = KeptForecast(watch.read_clock), 0
        drawing = replace(DRAWING, max_s=1.0)
        for snapshot in snapshots:
            rows = self.draw(kept, snapshot, until, drawing, watch)
            samples = 1 if kept.drawn is None else min(samples + 1, DRAWING.samples)
            assert kept.is_complete == (samples == DRAWING.samples)
            assert rows == self.draw(KeptForecast(), snapshot, until, replace(DRAWING, samples=samples))
            self.most = max(self.most, samples)

    def draw(
        self,
        kept: KeptForecast,
        snapshot: Snapshot,
        until: Instant,
        drawing: Drawing = DRAWING,
        observer: Watch | None = None,
    ) -> list[ForecastRow]:
        settings = self.deployment.settings
        rows = kept.draw(snapshot, settings, until, drawing, None, observer or Watch()).rows
        cleaned = [replace(row, run_id=row.run_id if row.run_type == "scheduled" else "") for row in rows]
        return sorted(cleaned, key=str)


def check_seed(folder: Path, seed: int) -> Trial:
    """Compare; returns what was done."""
    trial = Trial(seed)
    trial.check(folder)
    return trial


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 8))
def test_the_answer_is_that_of_a_forecast_without_a_past(tmp_path: Path, seed: int) -> None:
    check_seed(tmp_path, seed)


def test_futures_for_which_there_was_no_time_are_drawn_by_the_next_forecasts(tmp_path: Path) -> None:
    trials = [Trial(seed) for seed in range(FIRST_SEED, FIRST_SEED + 6)]
    for trial in trials:
        trial.check_cut(tmp_path)
    assert max(trial.most for trial in trials) == DRAWING.samples


def test_only_what_has_changed_is_drawn() -> None:
    snapshot = build_snapshot(20, 4, 3)
    until, kept = snapshot.at + DAY, KeptForecast()

    def draw(now: Snapshot, settings: SchedulerSettings = SETTINGS) -> tuple[list[str], int]:
        watch = Watch()
        kept.draw(now, settings, until, DRAWING, None, watch)
        return sorted(kept.drawn if kept.drawn is not None else ["all"]), watch.runs

    def change(task: tuple[str, str]) -> Snapshot:
        model = DurationModel(tries=10)
        for day in range(10):
            model.add(classify(to_datetime(snapshot.at - day * DAY).date(), "scheduled"), 100.0)
        return replace(snapshot, models={**snapshot.models, task: model})

    assert draw(snapshot) == (["all"], 3 * 20 * 4)
    due = "dag_00000"  # at this very instant
    assert draw(snapshot) == ([due], 3 * 4)
    changed = change(("dag_00007", "t1"))
    assert draw(changed) == ([due, "dag_00007"], 2 * 3 * 4)
    assert draw(changed) == ([due], 3 * 4)
    few = replace(changed, pools=[PoolRecord("default_pool", 2, 0)])
    assert draw(few) == (["all"], 3 * 20 * 4)
    others = sorted(dag.dag_id for dag in snapshot.state.dags)
    assert draw(replace(few, models=change(("dag_00008", "t1")).models))[0] == others, "they wait for the same slots"


@pytest.mark.soak
def test_it_is_the_same_in_many_deployments(tmp_path: Path) -> None:
    trials = [check_seed(tmp_path, seed) for seed in range(FIRST_SEED, FIRST_SEED + MANY)]
    assert sum(trial.drawn for trial in trials) < 0.7 * sum(trial.dags for trial in trials)


@contextmanager
def run_days(folder: Path) -> Iterator[tuple[Config, Database, YearSimulation]]:
    """Five days of three DAGs of which one waits for another, and three baselines."""
    write_baselines(
        folder,
        night='of = ["report"]\nby = "04:00"',
        noon='of = ["other"]\nby = "12:30"',
        both='of = ["report.t1", "other"]\nby = "18:00"',
    )
    cfg = load_config({"GNOMON__FORECAST__SAMPLES": "5"}, folder)
    create_schema(cfg.database_url)
    clock = VirtualClock(START)
    with closing(
        open_database(cfg.database_url, synchronous="OFF", lease_clock=clock.now, cipher=load_cipher(cfg))
    ) as db:
        days = YearSimulation(db, seed=1, start=START, script=lambda _, rng: Play(float(rng.randrange(60, 1200))))
        days.parse(spec_of("report", "0 2 * * *", "t0", "t1", after="load"), "1")
        days.parse(spec_of("load", "0 1 * * *", "t0", "t1"), "1")
        days.parse(spec_of("other", "0 */4 * * *", "t0"), "1")
        days.run_until(START + 5 * DAY + 1800 * SECOND)
        yield cfg, db, days


def test_reports_about_baselines_are_the_same(tmp_path: Path) -> None:
    """Reports of one reporter, and of a new one each time."""
    with run_days(tmp_path) as (cfg, db, days):
        reporter, drawn = ForecastReporter(), 0
        for step in range(1, 48):
            now = START + 5 * DAY + step * 1800 * SECOND
            days.run_until(now)
            report_now = reporter.report(cfg, db, now)
            alone = ForecastReporter().report(cfg, db, now)
            assert (report_now.runs, report_now.baselines) == (alone.runs, alone.baselines)
            assert report_now == alone
            assert {name for name, _ in report_now.baselines} >= {"both"}
            drawn += reporter.has_drawn_all
        assert drawn < 24


def test_a_report_that_was_cut_has_all_futures_when_there_was_time_for_more(tmp_path: Path) -> None:
    with run_days(tmp_path) as (cfg, db, _):
        seconds = itertools.chain(range(0, 300, 100), itertools.repeat(1000))  # two futures take too long
        reporter, now = ForecastReporter(lambda: float(next(seconds))), START + 5 * DAY + 1800 * SECOND
        assert (reporter.report(cfg, db, now).samples, reporter.is_complete) == (1, False)
        whole = reporter.report(cfg, db, now + 60 * SECOND)
        assert (whole.samples, reporter.is_complete, reporter.has_drawn_all) == (5, True, False)
        assert whole == ForecastReporter().report(cfg, db, now + 60 * SECOND)


def test_a_new_baseline_over_dags_of_another_one_is_judged_at_once(tmp_path: Path) -> None:
    """Nothing of its DAGs has changed, and the forecast reaches as far as before."""
    with run_days(tmp_path) as (cfg, db, _):
        reporter, now = ForecastReporter(), START + 5 * DAY + 1800 * SECOND
        reporter.report(cfg, db, now)
        write_baselines(tmp_path, early='of = ["other"]\nby = "08:30"')
        report = reporter.report(cfg, db, now + 60 * SECOND)
        assert not reporter.has_drawn_all
        assert report == ForecastReporter().report(cfg, db, now + 60 * SECOND)
