"""Independent DAGs come out the same, whether each is projected alone or all are in the engine."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from gnomon.entry.projection.divided_projection import EngineShare, find_capacity, project_divided
from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.futures import Futures
from gnomon.entry.projection.independent_dags import IndependentDags
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.undisturbed_runs import DrawnRun
from gnomon.model.attempts import Attempt
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.records import GroupState, PoolRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.durations.day_class import classify
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.timetables.registry import reference
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

from .projected_deployments import POOL, run_with_snapshot
from .test_undisturbed_runs import CalmDeployment, build_calm, calm_down

DAY = 86_400 * SECOND
FIRST_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "700"))
SEEDS = range(FIRST_SEED, FIRST_SEED + 60)
MANY = int(os.environ.get("GNOMON_SOAK_DEPLOYMENTS", "2000"))


def build_loose(seed: int) -> CalmDeployment:
    """Most of its DAGs wait for nobody, and slots are sometimes enough and sometimes not.

    All that is due at an instant is planned and admitted together: where batches end is another matter with fewer DAGs.
    """
    rng, calm = random.Random(f"loose {seed}"), build_calm(seed)
    specs = tuple(spec if rng.random() < 0.15 else _loosen(rng, spec) for spec in calm.specs)
    slots = rng.choice((3, 50, 1000, 1000))
    limits = replace(
        calm.settings.limits, parallelism=rng.choice((None, None, 6, 40)), max_admissions_per_step=1_000_000
    )
    return replace(
        calm,
        specs=specs,
        settings=replace(calm.settings, limits=limits, plan_batch=1_000),
        worker_slots=slots,
        pool_slots=(("default_pool", rng.choice((-1, 6, 128, 128))), (POOL, rng.choice((2, 60, 60)))),
        trouble=rng.choice((0.0, 0.01, 0.05)),
    )


def _loosen(rng: random.Random, spec: DagSpec) -> DagSpec:
    pool = rng.choice((None, "default_pool", POOL))
    calm = calm_down(rng, spec)
    return msgspec.structs.replace(
        calm,
        tasks=tuple(msgspec.structs.replace(task, pool=pool or task.pool, depends_on=()) for task in calm.tasks),
        depends_on=(),
        max_active_tasks=rng.choice((1, 16, 16)),
        jitter_s=rng.choice((0.0, 0.0, 0.0, spec.jitter_s)),
        overlap=rng.choice(("queue", "allow", "skip")),
    )


class Trial:
    """A deployment from nothing until its end."""

    def __init__(self, deployment: CalmDeployment) -> None:
        self.deployment = deployment
        self.pools = [PoolRecord(name, slots, 0) for name, slots in deployment.pool_slots]
        self.records = build_records([(spec, f"/dags/{spec.dag_id}.py") for spec in deployment.specs], deployment.start)
        self.alone = 0
        """Runs that were projected without the engine."""

    def draw(
        self, dag_id: str, run: DrawnRun, task_id: str, try_number: int, _at: Instant, _age_s: float
    ) -> tuple[float, bool]:
        play = self.play(dag_id, run.run_type.value, run.run_after, task_id, try_number)
        return play.run_s, play.outcome == "success"

    def play(self, dag_id: str, run_type: str, run_after: Instant, task_id: str, try_number: int) -> Play:
        seed = self.deployment.seed
        rng = random.Random(f"{seed} {dag_id} {run_type} {run_after} {task_id} {try_number}")
        run_s = rng.choice((0.0, 60.0, 60.0, 61.5, 900.0, rng.expovariate(1 / 600)))
        if rng.random() < self.deployment.trouble:
            return Play(run_s, outcome="failed", reason="by chance")
        return Play(run_s, return_length=1)

    def script(self, attempt: Attempt) -> Play:
        run = attempt.run
        if attempt.map_index != UNMAPPED:
            return self.deployment.play(attempt)
        return self.play(run.dag_id, run.run_type, run.run_after, attempt.task_id, attempt.try_number)

    def project(self, share: EngineShare) -> tuple[list[RunOutcome], Instant]:
        deployment = self.deployment
        records = [replace(dag) for dag in self.records if dag.dag_pk not in share.excluded]
        projector = Projector(
            settings=share.cut_settings(deployment.settings),
            start=deployment.start,
            script=self.script,
            pools=share.cut_pools(self.pools),
            worker_slots=deployment.worker_slots,
            draw=self.draw,
        )
        collector = share.observe(projector, records, with_tasks=True)
        projector.add_dags(records)
        projector.run_until(deployment.end)
        return [*collector.runs, *collector.list_unfinished(projector.now, with_waits=False)], deployment.end

    def run(self, *, divided: bool) -> list[RunOutcome]:
        deployment = self.deployment
        capacity = find_capacity(self.pools, deployment.settings, deployment.worker_slots)
        dags = IndependentDags(
            GroupState([replace(dag) for dag in self.records], [], []),
            self.pools,
            deployment.settings,
            deployment.start,
        )
        if not divided:
            dags.members.clear()
        end = deployment.end
        runs = project_divided(dags, capacity, self.draw, end, end, self.project, with_tasks=True).runs
        self.alone = sum(run.run_pk >= 1 << 48 for run in runs)
        return clean(runs)


def clean(runs: list[RunOutcome]) -> list[RunOutcome]:
    """Without numbers of runs, and ordered; the ids of runs of assets are random."""
    cleaned = [
        msgspec.structs.replace(run, run_pk=0, run_id=run.run_id if run.run_type == "scheduled" else "", waits=())
        for run in runs
    ]
    return sorted(cleaned, key=lambda run: (run.dag_id, run.run_after, run.queued_at, str(run)))


def check_seed(seed: int) -> int:
    """Compare; returns the number of runs that were projected without the engine."""
    trial = Trial(build_loose(seed))
    assert trial.run(divided=True) == Trial(trial.deployment).run(divided=False)
    return trial.alone


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_the_same_runs(seed: int) -> None:
    check_seed(seed)


def test_a_task_with_a_date_of_its_own_is_missing_in_the_runs_before_it() -> None:
    begin, tasks = 1_774_656_000 * SECOND, tuple(TaskSpec(task_id=name, runs_code=True) for name in ("a", "b"))
    spec = DagSpec(
        dag_id="dated",
        timetable=reference(CronTriggerTimetable("0 * * * *", timezone="UTC")),
        tasks=(tasks[0], msgspec.structs.replace(tasks[1], start_at=begin + DAY // 2)),
        start_at=begin - DAY,
        paused_upon_creation=False,
    )
    whole = replace(build_loose(700), start=begin, end=begin + DAY, specs=(spec,), trouble=0.0)
    runs = Trial(whole).run(divided=True)
    assert runs == Trial(whole).run(divided=False)
    assert {len(run.tasks) for run in runs} == {1, 2}


def test_many_runs_are_projected_alone() -> None:
    assert sum(check_seed(seed) > 0 for seed in SEEDS) > len(SEEDS) // 4


@pytest.mark.soak
def test_they_are_the_same_runs_in_many_deployments() -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + MANY):
        check_seed(seed)


def check_snapshot(folder: Path, seed: int) -> int:
    """Compare what follows from the state of a store in the middle."""
    deployment = replace(build_loose(seed), has_hidden_starts=False)
    rng = random.Random(seed)
    busy_s = rng.choice((0, 1, 3, 5)) * 3600 + rng.choice((1, 10, 70, 200, 400, 1000))
    middle = deployment.start + (deployment.end - deployment.start) // (2 * DAY) * DAY + busy_s * SECOND
    snapshot = run_with_snapshot(folder, deployment, middle)[1]
    for spec in deployment.specs:
        for task in spec.tasks:
            model = DurationModel(tries=20, failed_tries=rng.choice((0, 0, 1)))
            if rng.random() < 0.2:
                model.arrivals = DurationModel(tries=20)
            for day in range(10):
                of_day = classify(to_datetime(middle - day * DAY).date(), "scheduled")
                model.add(of_day, rng.uniform(0.0, 900.0))
                if model.arrivals is not None:
                    model.arrivals.add(of_day, rng.uniform(0.0, 1800.0))
            if rng.random() < 0.8:
                snapshot.models[spec.dag_id, task.task_id] = model
    until = middle + 20 * 3600 * SECOND
    zones = {spec.dag_id: spec.local_timezone for spec in deployment.specs}
    divided, alone = Futures(snapshot, deployment.settings, until, with_tasks=True), 0
    for sample in range(3):
        both = []
        for is_divided in (True, False):
            futures = divided
            if not is_divided:
                futures = Futures(snapshot, deployment.settings, until, with_tasks=True)
                futures.independent.members.clear()
            script = DrawnTimes(snapshot.models, snapshot.expected_s, zones, 60.0, 1, sample)
            runs = futures.project(script).list_due(until)
            both.append(clean(runs))
            alone += sum(run.run_pk >= 1 << 48 for run in runs)
        assert both[0] == both[1]
    return alone


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 6))
def test_the_futures_of_a_store_are_the_same(tmp_path: Path, seed: int) -> None:
    check_snapshot(tmp_path, seed)


@pytest.mark.soak
def test_the_futures_of_many_stores_are_the_same(tmp_path: Path) -> None:
    assert sum(check_snapshot(tmp_path, seed) > 0 for seed in range(FIRST_SEED, FIRST_SEED + MANY // 20)) > 0
