"""Runs in which nothing is to be decided come out the same, whether their tasks are followed one by one by the engine or not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import pytest

from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PoolRecord
from gnomon.model.spec import DagSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult
from gnomon.testing import Play

from .projected_deployments import POOL, RandomDeployment, build_deployment

SEEDS = (*range(500, 530), 3756, 5362, 5443)
RULES = (
    "all_success",
    "all_success",
    "all_success",
    "all_done",
    "none_failed",
    "none_failed_min_one_success",
    "one_success",
)


@dataclass(frozen=True)
class CalmDeployment(RandomDeployment):
    """One in which most tasks succeed at once, and most DAGs have nothing that is special. `trouble`: the share of tasks that do not."""

    trouble: float = 0.0

    def play(self, attempt: Attempt) -> Play:
        run = attempt.run
        rng = random.Random(
            f"{self.seed} {run.dag_id} {run.run_type} {run.run_after} {attempt.task_id} {attempt.map_index} {attempt.seq}"
        )
        run_s = rng.choice((0.0, 60.0, 60.0, 61.5, 900.0, rng.expovariate(1 / 600)))
        if rng.random() >= self.trouble:
            return Play(run_s, return_length=1)
        return rng.choice(
            (
                Play(run_s, outcome="failed", reason="by chance"),
                Play(run_s, enter_after_s=2.0, return_length=1),
                Play(run_s, outcome="skipped"),
                Play(run_s, outcome="deferred", wait_s=70.0),
            )
        )


def build_calm(seed: int) -> CalmDeployment:
    """Three of four DAGs of a random deployment without what only the engine decides about."""
    rng, drawn = random.Random(f"calm {seed}"), build_deployment(seed)
    calm = rng.choice((0.0, 0.0, 0.05))
    fields = {name: getattr(drawn, name) for name in RandomDeployment.__dataclass_fields__}
    if rng.random() < 0.5:
        limits = replace(drawn.settings.limits, parallelism=None)
        fields |= {
            "settings": replace(drawn.settings, limits=limits),
            "worker_slots": 1000,
            "pool_slots": (("default_pool", -1), (POOL, 20)),
        }
    specs = tuple(calm_down(rng, spec) if rng.random() < 0.75 else spec for spec in drawn.specs)
    return CalmDeployment(**{**fields, "specs": specs, "later": ()}, trouble=calm)


def calm_down(rng: random.Random, spec: DagSpec) -> DagSpec:
    """The DAG without what only the engine decides about."""
    tasks = tuple(
        msgspec.structs.replace(
            task,
            trigger_rule=rng.choice(RULES),
            expansion=None,
            group=None,
            max_active_tis_per_dag=None,
            max_active_tis_per_dagrun=None,
            depends_on_past=False,
            wait_for_downstream=False,
            outlets=(),
            depends_on=task.depends_on if rng.random() < 0.5 else (),
        )
        for task in spec.tasks
    )
    overlap = "queue" if spec.overlap == "cancel_running" else spec.overlap
    return msgspec.structs.replace(spec, tasks=tasks, overlap=overlap, dagrun_timeout_s=None, group_expansions={})


class _Trial:
    """The deployment, projected with or without a follower, and with or without events from outside."""

    def __init__(self, deployment: CalmDeployment, *, follows: bool) -> None:
        self.deployment = deployment
        self.projector = projector = Projector(
            settings=deployment.settings,
            start=deployment.start,
            script=deployment.play,
            pools=[PoolRecord(name, slots, 0) for name, slots in deployment.pool_slots],
            worker_slots=deployment.worker_slots,
        )
        if not follows:
            projector.engine_state.follower = None
        self.collector = OutcomeCollector(projector.engine_state, with_tasks=True)
        self.followed = 0
        projector.observe = self._observe
        records = build_records([(spec, f"/dags/{spec.dag_id}.py") for spec in deployment.specs], deployment.start)
        projector.add_dags(records)

    def _observe(self, result: StepResult, now: Instant) -> None:
        self.followed += result.followed_attempts
        self.collector.observe(result, now)

    def run(self, stops: Sequence[Instant] = ()) -> list[RunOutcome]:
        """All runs, ordered; `stops`: instants at which the projection is interrupted."""
        for at in stops:
            self.projector.run_until(at)
        self.projector.run_until(self.deployment.end)
        runs = [*self.collector.runs, *self.collector.list_unfinished(self.projector.now)]
        cleaned = [
            msgspec.structs.replace(run, run_id="", run_pk=0, waits=()) for run in runs
        ]  # ids of runs of assets are random
        return sorted(cleaned, key=lambda run: (run.dag_id, run.run_after, run.queued_at, str(run)))


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_the_same_runs(seed: int) -> None:
    deployment = build_calm(seed)
    assert _Trial(deployment, follows=True).run() == _Trial(deployment, follows=False).run()


def test_they_are_the_same_if_the_projection_is_interrupted() -> None:
    deployment = build_calm(501)
    stops = [deployment.start + hours * 3600 * SECOND for hours in (1, 5, 11)]
    assert _Trial(deployment, follows=True).run(stops) == _Trial(deployment, follows=False).run()


def test_most_tasks_of_calm_deployments_need_no_decision() -> None:
    followed = tasks = 0
    for seed in SEEDS:
        trial = _Trial(build_calm(seed), follows=True)
        tasks += sum(len(run.tasks) for run in trial.run())
        followed += trial.followed
    assert followed > tasks // 8, (followed, tasks)


def test_an_event_from_outside_finds_its_run_in_the_engine() -> None:
    deployment = build_calm(502)
    answers = []
    for follows in (True, False):
        trial = _Trial(deployment, follows=follows)
        at = deployment.start + 6 * 3600 * SECOND
        trial.projector.run_until(at)
        trial.projector.schedule(
            at + 90 * SECOND, e.PoolsRead(tuple(PoolRecord(name, 1, 0) for name, _ in deployment.pool_slots))
        )
        answers.append(trial.run())
    assert answers[0] == answers[1]
