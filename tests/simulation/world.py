"""Random DAGs, and the questions that an auditor asks the store after a simulation."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.entry.simulate import (
    POOL,
    Deployment,
    FaultPlan,
    RandomActions,
    find_violations,
    list_lost_slots,
    list_pools_in_use,
    list_unanswered,
)
from gnomon.model.attempts import Attempt, XComItem
from gnomon.model.instants import SECOND, Instant
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.records import AttemptRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.admin import pools
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.trigger_queue import deferrals
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
MINUTE = 60 * SECOND


def random_dag(rng: random.Random, number: int, minutes: int) -> DagSpec:
    """A DAG that runs every minute for some minutes, with catchup, of up to eight tasks."""
    ids = [f"t{i}" for i in range(rng.randint(1, 8))]
    specs = tuple(
        TaskSpec(
            task_id=task_id,
            upstream=tuple(sorted(rng.sample(ids[:i], rng.randint(0, min(i, 2))))),
            trigger_rule=rng.choice(("all_done", "one_success", "none_failed"))
            if rng.random() < 0.3
            else "all_success",
            retries=rng.randint(0, 2),
            retry_delay_s=rng.choice((0.0, 10.0)),
            runs_code=rng.random() < 0.85,
            max_active_tis_per_dag=rng.choice((None, None, None, 2)),
            pool=rng.choice(("default_pool", "default_pool", POOL)),
            effective_priority=rng.randint(1, 3),
            group="g" if i in (3, 4, 5) else None,
            expansion=random_expansion(rng, ids[:i]) if i not in (3, 4, 5) and rng.random() < 0.2 else None,
        )
        for i, task_id in enumerate(ids)
    )
    return DagSpec(
        dag_id=f"dag_{number}",
        timetable=reference(CronTriggerTimetable("* * * * *", timezone="UTC")),
        tasks=specs,
        start_at=START,
        end_at=START + (minutes - 1) * MINUTE,
        catchup=True,
        max_active_runs=rng.randint(1, 4),
        max_active_tasks=rng.choice((1, 4, 16)),
        paused_upon_creation=False,
        groups={"g": None},
        group_expansions={"g": random_expansion(rng, ids[:3])} if rng.random() < 0.5 else {},
    )


def random_expansion(rng: random.Random, before: list[str]) -> Expansion:
    """Over a list in the file, or over the return value of an earlier task."""
    if before and rng.random() < 0.7:
        return Expansion(factors=(XComLength(task_id=rng.choice(before)),))
    return Expansion(factors=(LiteralLength(length=rng.randint(0, 3)),))


def another_version(spec: DagSpec, rng: random.Random) -> DagSpec:
    """The same DAG with other limits and pools, and a last task that comes and goes."""
    kept = tuple(task for task in spec.tasks if task.task_id != "extra")
    tasks = tuple(
        replace(
            task,
            pool=rng.choice(("default_pool", POOL)),
            max_active_tis_per_dag=rng.choice((None, 1, 2)),
            effective_priority=rng.randint(1, 3),
        )
        for task in kept
    )
    if len(kept) == len(spec.tasks):
        tasks = (*tasks, TaskSpec(task_id="extra", upstream=(kept[-1].task_id,), retries=1))
    return replace(spec, tasks=tasks, max_active_tasks=rng.choice((1, 4, 16)), max_active_runs=rng.randint(1, 4))


def random_play(attempt: Attempt, rng: random.Random) -> Play:
    """Most attempts succeed; some fail, defer or are skipped, some are lost before or after they entered author code."""
    run_s = rng.expovariate(1 / 3)
    roll = rng.random()
    if roll < 0.1:
        return Play(run_s, outcome="deferred", wait_s=rng.choice((-5.0, 0.0, 7.0, 40.0)))
    if roll < 0.8:
        return Play(run_s, return_length=rng.choice((0, 1, 2, 3, 3)), xcoms=(XComItem(key="return_value", value="[]"),))
    if roll < 0.9:
        return Play(run_s, outcome="failed", reason="ValueError: by chance")
    if roll < 0.93:
        return Play(run_s, outcome="skipped")
    if roll < 0.96:
        return Play(run_s, outcome="lost", entered=False, reason="lost: the child died before it entered")
    return Play(run_s, outcome="lost", reason="lost: killed by signal 9")


def simulate(
    folder: Path,
    seed: int,
    faults: FaultPlan,
    *,
    dags: int = 4,
    minutes: int = 8,
    schedulers: int = 1,
    worker_deaths: float = 0.0,
    people: bool = False,
) -> tuple[list[str], Deployment]:
    """Play one seed to its end, and audit it."""
    url = f"sqlite:///{folder / f'sim-{seed}.db'}"
    create_schema(url)
    rng = random.Random(seed)
    specs = {spec.dag_id: spec for spec in (random_dag(rng, i, minutes) for i in range(dags))}
    holder: list[Deployment] = []
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: lease_time(holder), cipher=CIPHER)
    with db.write() as tx:
        pools.set_pool(tx, POOL, 2)
    deployment = Deployment(
        db,
        seed=seed,
        start=START,
        script=random_play,
        limits=EngineLimits(parallelism=8, max_admissions_per_step=4),
        faults=faults,
        schedulers=schedulers,
    )
    holder.append(deployment)
    deployment.add_dags(specs.values())
    crowd = RandomActions(random.Random(seed + 2), specs, another_version, chance=0.03 if people else 0.0)

    def chance(it: Deployment) -> None:
        crowd.act_randomly(it)
        if worker_deaths and it.rng.random() < worker_deaths:
            it.kill_worker()

    deployment.run_until(START + minutes * MINUTE, chance)
    deployment.faulty.plan = FaultPlan()
    crowd.stop_acting(deployment)
    deployment.run_until(max(deployment.clock.now(), START + minutes * MINUTE) + MINUTE)
    end = deployment.clock.now() + 600 * MINUTE
    while unfinished(db) and deployment.clock.now() < end:
        deployment.run_until(deployment.clock.now() + MINUTE)
    found = audit_store(db, specs, deployment, minutes, crowd)
    found += list_pools_in_use(deployment) + list_unanswered(crowd, deployment) + waits_left(db, specs)
    found += list_lost_slots(db, START)
    db.close()
    return found, deployment


def lease_time(holder: list[Deployment]) -> Instant:
    """The database's clock, which nobody sets."""
    return START + int(holder[0].clock.monotonic() * SECOND) if holder else START


def waits_left(db: Database, dag_ids: Iterable[str]) -> list[str]:
    """Runs that have ended wait for nothing."""
    with db.read() as tx:
        run_pks = [run.run_pk for dag_id in dag_ids for run in dag_runs.list_runs(tx, dag_id)]
        return [f"a wait is left: {key}" for key in deferrals.load_deferrals(tx, run_pks)]


def unfinished(db: Database) -> int:
    with db.read() as tx:
        return len(group_state.load_groups(tx, range(64)).runs)


def audit_store(
    db: Database, specs: dict[str, DagSpec], deployment: Deployment, minutes: int, crowd: RandomActions
) -> list[str]:
    with db.read() as tx:
        made: list[tuple[str, RunRecord]] = [
            (dag_id, run) for dag_id in specs for run in dag_runs.list_runs(tx, dag_id)
        ]
        rows: dict[int, list[TaskRecord]] = {run.run_pk: dag_runs.list_task_states(tx, run.run_pk) for _, run in made}
        attempts: list[AttemptRecord] = [a for _, run in made for a in dag_runs.list_attempts(tx, run.run_pk)]
        pks = {run.dag_pk: dag_id for dag_id, run in made}
        names = {
            (pks[dag.dag_pk], number): task_id
            for dag in group_state.load_dags(tx, sorted(pks))
            for task_id, number in dag.task_numbers.items()
        }
        versions = group_state.load_specs(tx, range(1, 1 + len(specs) + crowd.versions.total()))
    due = {dag_id: [START + i * MINUTE for i in range(minutes)] for dag_id in specs}
    grants = {run.run_pk: crowd.cleared[run.run_pk] + crowd.versions[dag_id] for dag_id, run in made}
    return find_violations(
        versions, made, rows, attempts, deployment.workers, names, due, grants, bool(crowd.action_counts["_set_clock"])
    )
