"""Simulates DAGs that schedule one another by assets, under faults and while people pause and edit them, and audits the store.

The audit reads rows only: each event of a producer is there once, and each consumer has consumed it once or still has it in its
queue; every run consumed events that satisfy its condition, and no queue satisfies a condition at the end.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.entry.simulate import Deployment, FaultPlan, list_lost_slots
from gnomon.model.assets import AllOf, AnyOf, AssetCondition, AssetEvent, AssetKey
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, DagRunType
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import Database, Transaction, open_database
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import group_state
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
MINUTE = 60 * SECOND
NO_TIMES = TimetableRef(path="NullTimetable", can_be_scheduled=False, periodic=False)


@dataclass
class AssetOutcome:
    """What came of one seed."""

    found: list[str]
    events: int
    asset_runs: int
    faults: dict[str, int]
    crashes: int


def simulate_assets(
    folder: Path,
    seed: int,
    faults: FaultPlan,
    *,
    producers: int = 4,
    consumers: int = 8,
    minutes: int = 10,
    schedulers: int = 1,
    people: float = 0.0,
    worker_deaths: float = 0.0,
    kills: float = 0.0,
) -> AssetOutcome:
    """Play one seed to its end, and audit it. `people`, `worker_deaths`, `kills`: the chance of each at an instant."""
    url = f"sqlite:///{folder / f'assets-{seed}.db'}"
    create_schema(url)
    rng = random.Random(seed)
    assets = [AssetKey(f"asset_{number}", f"s3://bucket/{number}") for number in range(producers + 2)]
    specs = [_producer(rng, number, assets, minutes) for number in range(producers)]
    consuming = {
        spec.dag_id: spec for spec in (_consumer(rng, number, assets[:producers]) for number in range(consumers))
    }
    holder: list[Deployment] = []
    db = open_database(
        url, role="simulation", synchronous="OFF", lease_clock=lambda: _lease_time(holder), cipher=CIPHER
    )
    deployment = Deployment(
        db,
        seed=seed,
        start=START,
        script=_play,
        limits=EngineLimits(parallelism=8, max_admissions_per_step=4),
        faults=faults,
        schedulers=schedulers,
    )
    holder.append(deployment)
    deployment.add_dags([*consuming.values(), *specs])
    version = 1
    chooser = random.Random(seed + 2)

    def chance(it: Deployment) -> None:
        nonlocal version
        if chooser.random() < people:
            _act(chooser, it, db, list(consuming))
        if chooser.random() < people / 4:  # an edit that leaves the condition as it is
            version += 1
            dag_id = chooser.choice(list(consuming))
            it.add_dags([replace(consuming[dag_id], max_active_tasks=version)], version)
        if chooser.random() < worker_deaths:
            it.kill_worker()
        if chooser.random() < kills:
            it.kill_scheduler()

    deployment.run_until(START + minutes * MINUTE, chance)
    deployment.faulty.plan = FaultPlan()
    with db.write() as tx:
        for dag_id in consuming:
            dags.set_paused(tx, dag_id, False, "simulation", deployment.clock.now())
    end = deployment.clock.now() + 120 * MINUTE
    deployment.run_until(deployment.clock.now() + 2 * MINUTE)
    while _has_unfinished(db) and deployment.clock.now() < end:
        deployment.run_until(deployment.clock.now() + MINUTE)
    outcome = _audit(db, specs, consuming)
    outcome.found.extend(list_lost_slots(db, START))
    db.close()
    outcome.faults, outcome.crashes = dict(deployment.faulty.injected), deployment.crashes
    return outcome


def _producer(rng: random.Random, number: int, assets: list[AssetKey], minutes: int) -> DagSpec:
    """Writes its own asset with an attempt, and with a task without a process perhaps another one."""
    tasks = [TaskSpec(task_id="write", outlets=(assets[number],), retries=3, retry_delay_s=1.0)]
    if rng.random() < 0.5:
        tasks.append(TaskSpec(task_id="mark", outlets=(rng.choice(assets),), runs_code=False, upstream=("write",)))
    return DagSpec(
        dag_id=f"producer_{number}",
        timetable=reference(CronTriggerTimetable("* * * * *", timezone="UTC")),
        tasks=tuple(tasks),
        start_at=START,
        end_at=START + (minutes - 1) * MINUTE,
        catchup=True,
        max_active_runs=3,
        paused_upon_creation=False,
    )


def _consumer(rng: random.Random, number: int, assets: list[AssetKey]) -> DagSpec:
    return DagSpec(
        dag_id=f"consumer_{number}",
        timetable=NO_TIMES,
        tasks=(TaskSpec(task_id="read", runs_code=rng.random() < 0.3, retries=20, retry_delay_s=1.0),),
        asset_condition=_condition(rng, assets, 2),
        max_active_runs=rng.choice((1, 2, 16)),
        paused_upon_creation=False,
    )


def _condition(rng: random.Random, assets: list[AssetKey], depth: int) -> AssetCondition:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(assets)
    return rng.choice((AllOf, AnyOf))(tuple(_condition(rng, assets, depth - 1) for _ in range(rng.randint(1, 3))))


def _play(_: Attempt, rng: random.Random) -> Play:
    roll = rng.random()
    run_s = rng.expovariate(1 / 3)
    if roll < 0.8:
        return Play(run_s)
    return (
        Play(run_s, outcome="failed", reason="by chance")
        if roll < 0.95
        else Play(run_s, outcome="lost", reason="lost: killed by signal 9")
    )


def _act(rng: random.Random, it: Deployment, db: Database, dag_ids: list[str]) -> None:
    with db.write() as tx:
        dags.set_paused(tx, rng.choice(dag_ids), rng.random() < 0.5, "people", it.clock.now())


def _lease_time(holder: list[Deployment]) -> Instant:
    return START + int(holder[0].clock.monotonic() * SECOND) if holder else START


def _has_unfinished(db: Database) -> bool:
    with db.read() as tx:
        return bool(group_state.load_groups(tx, range(64)).runs)


def _audit(db: Database, producers: list[DagSpec], consumers: dict[str, DagSpec]) -> AssetOutcome:
    found: list[str] = []
    with db.read() as tx:
        stored = asset_events.list_newest_events(tx, 1_000_000)
        found += _audit_events(tx, stored, producers)
        runs = 0
        for dag_id, spec in consumers.items():
            dag = dags.find_dag_row(tx, dag_id)
            assert dag is not None and spec.asset_condition is not None
            leaves = set(iter_leaves(spec.asset_condition))
            consumed: Counter[int] = Counter()
            for run in dag_runs.list_runs(tx, dag_id):
                runs += 1
                of_run = asset_events.list_consumed_events(tx, run.run_pk)
                consumed.update(each.event_pk for each in of_run)
                if run.run_type is not DagRunType.ASSET_TRIGGERED or not _is_met(
                    spec.asset_condition, {each.asset for each in of_run}
                ):
                    found.append(f"{dag_id} {run.run_id} consumed {of_run}")
                if run.state not in (DagRunState.SUCCESS, DagRunState.FAILED):
                    found.append(f"{dag_id} {run.run_id} is {run.state}")
            queue = asset_queue.list_queue(tx, dag.dag_pk)
            consumed.update(each.event_pk for each in queue)
            wanted = Counter(each.event_pk for each in stored if each.asset in leaves)
            if consumed != wanted:
                found.append(f"{dag_id}: {len(wanted)} events, lost {wanted - consumed}, twice {consumed - wanted}")
            if _is_met(spec.asset_condition, {each.leaf for each in queue}):
                found.append(f"{dag_id}: its condition holds for its queue, and no run was created")
    return AssetOutcome(found, len(stored), runs, {}, 0)


def _audit_events(tx: Transaction, stored: list[AssetEvent], producers: list[DagSpec]) -> list[str]:
    """Each successful task instance with an outlet has one event."""
    events = Counter((each.source_dag_id, each.source_run_id, each.source_task_id) for each in stored)
    wanted: Counter[tuple[str | None, str | None, str | None]] = Counter()
    for spec in producers:
        dag = dags.find_dag_row(tx, spec.dag_id)
        assert dag is not None
        (names,) = group_state.load_task_numbers(tx, [dag.dag_pk]).values()
        by_number = {number: task_id for task_id, number in names.items()}
        for run in dag_runs.list_runs(tx, spec.dag_id):
            for row in dag_runs.list_task_states(tx, run.run_pk):
                if row.state == "success":
                    wanted[spec.dag_id, run.run_id, by_number[row.task_no]] += 1
    return [] if events == wanted else [f"events lost: {wanted - events}; too many: {events - wanted}"]


def _is_met(condition: AssetCondition, has: set[object]) -> bool:
    """The condition in the words of Python."""
    if isinstance(condition, AllOf):
        return all(_is_met(part, has) for part in condition.parts)
    if isinstance(condition, AnyOf):
        return any(_is_met(part, has) for part in condition.parts)
    return condition in has
