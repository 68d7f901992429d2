"""Random small deployments, run by the full scheduler over SQLite and by the projector in memory: both must make the same of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.simulation.world import random_expansion

from gnomon.calendars import Weekends
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.run_outcomes import OutcomeCollector, TaskOutcome
from gnomon.entry.projection.snapshot import Snapshot, read_snapshot
from gnomon.entry.simulate.year_simulation import SETTINGS, YearSimulation
from gnomon.model.after import After
from gnomon.model.assets import AllOf, AnyOf, AssetCondition, AssetKey
from gnomon.model.attempts import Attempt, XComItem
from gnomon.model.instants import Instant, to_instant
from gnomon.model.records import PoolRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.admin import pools
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import group_state
from gnomon.testing import Play
from gnomon.timetables import BusinessDays, CronDataIntervalTimetable, CronTriggerTimetable, Daily, Hourly

STARTS = (datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC), datetime(2026, 1, 30, tzinfo=UTC))
"""The clocks of Berlin are set on the next day, in the first two."""
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
POOL = "narrow"
ASSETS = [AssetKey(f"asset_{number}", f"s3://bucket/{number}") for number in range(3)]
NO_TIMES = TimetableRef(path="NullTimetable", can_be_scheduled=False, periodic=False)
CRONS = (
    "0 3 * * *",
    "30 2 * * *",
    "0 */2 * * *",
    "15 * * * *",
    "0 6 * * 1-5",
    "*/30 1-5 * * *",
    "0 0 1 * *",
    "45 23 * * *",
)


@dataclass(frozen=True)
class RandomDeployment:
    """DAGs, limits and durations by a seed."""

    seed: int
    start: Instant
    end: Instant
    specs: tuple[DagSpec, ...]
    later: tuple[tuple[Instant, DagSpec], ...]
    """New versions of DAGs, with the instants at which their files are parsed."""
    pool_slots: tuple[tuple[str, int], ...]
    settings: SchedulerSettings
    worker_slots: int
    has_hidden_starts: bool = True
    """False: attempts enter author code at once, and take no time after a deferral: a store does not say when these began."""

    def play(self, attempt: Attempt) -> Play:
        """The same for an attempt in both worlds: its ids differ, and so does the suffix of the run id of an asset run."""
        run = attempt.run
        rng = random.Random(
            f"{self.seed} {run.dag_id} {run.run_type} {run.run_after} {attempt.task_id} {attempt.map_index} {attempt.seq}"
        )
        play = _draw_play(rng)
        if self.has_hidden_starts:
            return play
        return replace(play, enter_after_s=0.0, run_s=play.run_s if attempt.resume is None else 0.0)


@dataclass(frozen=True, order=True)
class ComparedRun:
    """What must be the same of a run."""

    dag_id: str
    run_after: Instant
    run_type: str
    queued_at: Instant
    state: str
    started_at: Instant | None
    ended_at: Instant | None
    tasks: tuple[tuple[object, ...], ...]


def build_deployment(seed: int) -> RandomDeployment:
    """The deployment of a seed."""
    rng = random.Random(seed)
    start = rng.choice(STARTS)
    end = start + timedelta(days=rng.choice((1, 2, 3)))
    specs: list[DagSpec] = []
    for number in range(rng.randint(1, 7)):
        specs.append(_draw_dag(rng, number, specs, start))
    later = []
    if rng.random() < 0.3:
        spec = rng.choice(specs)
        at = start + timedelta(seconds=rng.randrange(3600, int((end - start).total_seconds())))
        later.append((to_instant(at), _edit(rng, spec)))
    parallelism = rng.choice((None, None, 3, 8))
    return RandomDeployment(
        seed,
        to_instant(start),
        to_instant(end),
        tuple(specs),
        tuple(later),
        (("default_pool", rng.choice((2, 4, 128))), (POOL, rng.choice((1, 2)))),
        replace(
            SETTINGS,
            limits=EngineLimits(
                parallelism=parallelism, max_admissions_per_step=rng.choice((1, 3, 1_000)), max_map_length=3
            ),
            plan_batch=rng.choice((1, 3, 500)),
            max_waiting_runs=rng.choice((2, 1000)),
        ),
        rng.choice((2, 5, 1000)),
    )


def _draw_dag(rng: random.Random, number: int, earlier: list[DagSpec], start: datetime) -> DagSpec:
    zone = rng.choice(ZONES)
    is_by_assets = rng.random() < 0.2
    dag_id = f"dag_{number}"
    condition = _draw_condition(rng) if is_by_assets else None
    outlets = ASSETS if condition is None else ASSETS[max(map(ASSETS.index, iter_leaves(condition))) + 1 :]
    return DagSpec(
        dag_id=dag_id,
        timetable=NO_TIMES if is_by_assets else _draw_timetable(rng, zone),
        tasks=_draw_tasks(rng, earlier, outlets, is_by_assets),
        timezone=zone,
        start_at=None if rng.random() < 0.1 else to_instant(start - timedelta(hours=rng.choice((0, 0, 5, 30)))),
        catchup=rng.random() < 0.5,
        misfire=rng.choice((None, None, "latest", "all", "skip")),
        overlap=rng.choice(("queue", "queue", "allow", "skip", "cancel_running")),
        jitter_s=rng.choice((0.0, 0.0, 0.0, 300.0)),
        max_active_runs=rng.choice((1, 2, 16)),
        max_active_tasks=rng.choice((1, 3, 16)),
        max_consecutive_failed_dag_runs=rng.choice((0, 0, 0, 2)),
        dagrun_timeout_s=rng.choice((None, None, None, 5000.0)),
        fail_fast=rng.random() < 0.1,
        paused_upon_creation=False,
        groups={"g": None},
        group_expansions={"g": random_expansion(rng, ["t0", "t1", "t2"])} if rng.random() < 0.3 else {},
        depends_on=() if is_by_assets else _draw_edges(rng, dag_id, earlier),
        asset_condition=condition,
    )


def _draw_timetable(rng: random.Random, zone: str) -> TimetableRef:
    roll = rng.random()
    if roll < 0.2:
        return reference(Daily(f"{rng.randrange(24):02d}:30", timezone=zone))
    if roll < 0.3:
        return reference(Hourly(timezone=zone))
    if roll < 0.4:
        return reference(BusinessDays(Weekends(), timezone=zone))
    if roll < 0.6:
        return reference(CronDataIntervalTimetable(rng.choice(CRONS), timezone=zone))
    return reference(CronTriggerTimetable(rng.choice(CRONS), timezone=zone))


def _draw_edges(rng: random.Random, dag_id: str, earlier: list[DagSpec]) -> tuple[object, ...]:
    edges = []
    scheduled = [spec for spec in earlier if spec.asset_condition is None]
    if rng.random() < 0.1:
        edges.append(After(dag_id, previous=1))
    if scheduled and rng.random() < 0.6:
        for up in rng.sample(scheduled, rng.randint(1, min(2, len(scheduled)))):
            edges.append(_draw_after(rng, up))
    return tuple(map(to_dependency_spec, edges))


def _draw_after(rng: random.Random, up: DagSpec) -> After:
    return After(
        up.dag_id,
        task_id=rng.choice(up.tasks).task_id if rng.random() < 0.3 else None,
        previous=rng.choice((None, None, None, 1)),
        take=rng.choice(("all", "all", "last", "first", "any")),
        empty_interval=rng.choice(("carry", "carry", "nearest", "forward")),
        on_failure=rng.choice(("wait", "proceed", "cancel")),
        on_absent=rng.choice(("ignore", "ignore", "wait", "fail")),
        max_wait=rng.choice((None, timedelta(hours=2), timedelta(hours=10))),
    )


def _draw_condition(rng: random.Random) -> AssetCondition:
    leaves = tuple(rng.sample(ASSETS, rng.randint(1, 3)))
    return leaves[0] if len(leaves) == 1 else rng.choice((AllOf, AnyOf))(leaves)


def _draw_tasks(
    rng: random.Random, earlier: list[DagSpec], outlets: list[AssetKey], is_by_assets: bool
) -> tuple[TaskSpec, ...]:
    """`outlets`: what its tasks may write, so that no DAG schedules itself. A random backoff depends on the run id, which is random for runs of assets."""
    ids = [f"t{i}" for i in range(rng.randint(1, 7))]
    scheduled = [spec for spec in earlier if spec.asset_condition is None]
    return tuple(
        TaskSpec(
            task_id=task_id,
            upstream=tuple(sorted(rng.sample(ids[:i], rng.randint(0, min(i, 2))))),
            trigger_rule=rng.choice(("all_done", "one_success", "none_failed", "one_done", "all_failed"))
            if rng.random() < 0.2
            else "all_success",
            retries=rng.choice((0, 0, 1, 2)),
            retry_delay_s=rng.choice((0.0, 60.0)),
            retry_exponential_backoff=0.0 if is_by_assets else rng.choice((0.0, 0.0, 2.0)),
            runs_code=rng.random() < 0.9,
            max_active_tis_per_dag=rng.choice((None, None, None, 1)),
            max_active_tis_per_dagrun=rng.choice((None, None, None, 1)),
            pool=rng.choice(("default_pool", "default_pool", POOL)),
            pool_slots=rng.choice((1, 1, 1, 2)),
            effective_priority=rng.randint(1, 3),
            group="g" if i in (3, 4) else None,
            expansion=random_expansion(rng, ids[:i]) if i not in (3, 4) and rng.random() < 0.2 else None,
            depends_on_past=rng.random() < 0.08,
            wait_for_downstream=rng.random() < 0.03,
            outlets=(rng.choice(outlets),) if outlets and rng.random() < 0.2 else (),
            depends_on=(to_dependency_spec(_draw_after(rng, rng.choice(scheduled))),)
            if scheduled and rng.random() < 0.07
            else (),
        )
        for i, task_id in enumerate(ids)
    )


def _edit(rng: random.Random, spec: DagSpec) -> DagSpec:
    """Another version: another schedule, or other limits."""
    if spec.asset_condition is None and rng.random() < 0.5:
        return msgspec.structs.replace(spec, timetable=_draw_timetable(rng, spec.timezone))
    tasks = tuple(msgspec.structs.replace(task, pool=rng.choice(("default_pool", POOL))) for task in spec.tasks)
    return msgspec.structs.replace(spec, tasks=tasks, max_active_runs=rng.choice((1, 4)), max_active_tasks=2)


def _draw_play(rng: random.Random) -> Play:
    run_s = rng.choice((0.0, 1.0, 60.0, 61.5, 900.0, 5400.0, rng.expovariate(1 / 600)))
    roll = rng.random()
    if roll < 0.08:
        return Play(run_s, outcome="deferred", wait_s=rng.choice((-5.0, 0.0, 70.0, 4000.0)))
    if roll < 0.12:
        return Play(run_s, outcome="up_for_reschedule", resume_after_s=300.0)
    if roll < 0.86:
        value = XComItem(key="return_value", value="[]")
        return Play(
            run_s,
            enter_after_s=rng.choice((0.0, 0.0, 2.0)),
            return_length=rng.choice((0, 1, 2, 3, 3)),
            xcoms=(value,),
        )
    if roll < 0.94:
        return Play(run_s, outcome="failed", reason="ValueError: by chance", retryable=rng.random() < 0.9)
    if roll < 0.96:
        return Play(run_s, outcome="skipped")
    if roll < 0.98:
        return Play(run_s, outcome="lost", entered=False, reason="lost: the child died before it entered")
    return Play(run_s, outcome="lost", reason="lost: killed by signal 9")


# ---- both worlds ---------------------------------------------------------------------------------------------------------
def run_in_store(folder: Path, deployment: RandomDeployment) -> list[ComparedRun]:
    """What the full scheduler makes of it."""
    return run_with_snapshot(folder, deployment, deployment.end)[0]


def run_with_snapshot(
    folder: Path, deployment: RandomDeployment, snapshot_at: Instant
) -> tuple[list[ComparedRun], Snapshot]:
    """The same, and what the store had at an instant. File edits come before it, or not at all."""
    edited_at = max((at for at, _ in deployment.later), default=snapshot_at)
    runs, snapshots = run_with_snapshots(folder, deployment, [max(snapshot_at, edited_at)])
    return runs, snapshots[0]


def run_with_snapshots(
    folder: Path, deployment: RandomDeployment, instants: Sequence[Instant]
) -> tuple[list[ComparedRun], list[Snapshot]]:
    """The same, and what the store had at each of these, which are in order."""
    url = f"sqlite:///{folder / f'projection-{deployment.seed}.db'}"
    create_schema(url)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: deployment.start, cipher=CIPHER)
    with db.write() as tx:
        for name, slots in deployment.pool_slots:
            pools.set_pool(tx, name, slots)
    it = YearSimulation(
        db,
        seed=deployment.seed,
        start=deployment.start,
        script=lambda attempt, _: deployment.play(attempt),
        settings=deployment.settings,
        worker_slots=deployment.worker_slots,
    )
    for spec in deployment.specs:
        it.parse(spec, "1")
    later, snapshots = list(deployment.later), []
    for instant in instants:
        while later and later[0][0] <= instant:
            at, spec = later.pop(0)
            it.run_until(at)
            it.parse(spec, "2")
        it.run_until(max(instant, it.clock.now()))
        snapshots.append(read_snapshot(db, it.clock.now()))
    for at, spec in later:
        it.run_until(at)
        it.parse(spec, "2")
    it.run_until(deployment.end)
    runs = _read_runs(db, deployment)
    db.close()
    return runs, snapshots


def _read_runs(db: Database, deployment: RandomDeployment) -> list[ComparedRun]:
    compared = []
    with db.read() as tx:
        for spec in deployment.specs:
            for run in dag_runs.list_runs(tx, spec.dag_id):
                names = {
                    number: task_id
                    for task_id, number in group_state.load_task_numbers(tx, [run.dag_pk])[run.dag_pk].items()
                }
                tasks = tuple(
                    (names[t.task_no], t.map_index, t.state, t.try_number, t.started_at, t.ended_at)
                    for t in dag_runs.list_task_states(tx, run.run_pk)
                )
                compared.append(
                    ComparedRun(
                        spec.dag_id,
                        run.run_after,
                        run.run_type.value,
                        run.queued_at,
                        run.state.value,
                        run.started_at,
                        run.ended_at,
                        tasks,
                    )
                )
    return sorted(compared, key=lambda run: (run.dag_id, run.run_after, run.queued_at))


def run_in_memory(deployment: RandomDeployment) -> list[ComparedRun]:
    """What the projector makes of it."""
    projector = Projector(
        settings=deployment.settings,
        start=deployment.start,
        script=deployment.play,
        pools=[PoolRecord(name, slots, 0) for name, slots in deployment.pool_slots],
        worker_slots=deployment.worker_slots,
    )
    collector = OutcomeCollector(projector.engine_state, with_tasks=True)
    projector.observe = collector.observe
    records = build_records([(spec, f"/dags/{spec.dag_id}.py") for spec in deployment.specs], deployment.start)
    projector.add_dags(records)
    for number, (at, spec) in enumerate(deployment.later, len(records) + 1):
        projector.run_until(at)
        edit_dag(projector, spec, number)
    projector.run_until(deployment.end)
    return _list_projected(projector, collector)


def edit_dag(projector: Projector, spec: DagSpec, version_pk: int) -> None:
    """The file of the DAG defines another version of it from now on."""
    record = next(dag.record for dag in projector.engine_state.dags.values() if dag.record.dag_id == spec.dag_id)
    numbers = dict(record.task_numbers)
    for task in spec.tasks:
        numbers.setdefault(task.task_id, len(numbers))
    edited = replace(
        record,
        version_pk=version_pk,
        plan_seq=record.plan_seq + 1,
        spec=spec,
        task_numbers=numbers,
        input_hash=str(version_pk),
    )
    projector.add_dags([edited])


def go_on_in_memory(deployment: RandomDeployment, snapshot: Snapshot) -> list[ComparedRun]:
    """What the projector makes of the rest, from what a store has."""
    projector = Projector(
        settings=deployment.settings,
        start=snapshot.at,
        script=deployment.play,
        pools=snapshot.pools,
        worker_slots=0,
    )
    collector = OutcomeCollector(projector.engine_state, with_tasks=True)
    projector.observe = collector.observe
    projector.load(snapshot, lambda attempt, _: deployment.play(attempt))
    projector.run_until(deployment.end)
    return _list_projected(projector, collector)


def _list_projected(projector: Projector, collector: OutcomeCollector) -> list[ComparedRun]:
    compared = [
        ComparedRun(
            run.dag_id,
            run.run_after,
            run.run_type,
            run.queued_at,
            run.state.value,
            run.started_at,
            run.ended_at,
            tuple(map(_compare_task, run.tasks)),
        )
        for run in [*collector.runs, *collector.list_unfinished(projector.now)]
    ]
    return sorted(compared, key=lambda run: (run.dag_id, run.run_after, run.queued_at))


def _compare_task(task: TaskOutcome) -> tuple[object, ...]:
    return task.task_id, task.map_index, task.state, task.try_number, task.started_at, task.ended_at
