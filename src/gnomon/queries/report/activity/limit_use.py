"""Which limits are in use, which task instances or runs hold their places, and which wait for one; and the slots of the workers.

The limits are those of the state that a scheduler would load if it owned all groups, so they are what the scheduler decides by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from gnomon.model.instants import Instant, iso
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.activity.current_work import EXPLAINED_MAX
from gnomon.queries.report.explanations.engine_state_reading import load_engine_state
from gnomon.queries.report.listings.process_health import list_live_workers
from gnomon.rules.engine.lifecycle.capacity import collect_limits
from gnomon.rules.engine.lifecycle.run_lifecycle import UNBOUNDED, active_runs_limit
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.state.limits import ConcurrencyLimit
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs

LISTED_MAX = 200
"""Limits that are listed: those that are reached first."""
USERS_MAX = 50
"""Holders, and waiters, of one limit that are listed."""


@dataclass(frozen=True, slots=True)
class LimitUser:
    """A run, or a task instance, that holds a place of a limit or waits for one."""

    dag_id: str
    run_id: str
    task_id: str | None
    map_index: int
    since: str | None


@dataclass(slots=True)
class LimitUse:
    """A limit of a DAG, a run or a task."""

    dag_id: str
    run_id: str | None
    """For a limit that each run has for itself."""
    name: str
    """As the sentences of `explain` name it."""
    limit: int
    used: int
    waiting: int = 0
    holders: list[LimitUser] = field(default_factory=list)
    waiters: list[LimitUser] = field(default_factory=list)

    @property
    def is_reached(self) -> bool:
        return self.used >= self.limit


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """A live worker."""

    worker: str
    host: str
    slots: int
    used: int


@dataclass(frozen=True, slots=True)
class LimitsInUse:
    """All limits. `is_complete`: no limit was left out."""

    limits: list[LimitUse]
    workers: list[WorkerUse]
    parallelism: int | None
    live_attempts: int
    is_complete: bool


def read_limit_use(
    tx: Transaction, limits: EngineLimits, now: Instant, is_visible: Callable[[str], bool] = lambda _: True
) -> LimitsInUse:
    """The limits of visible DAGs that are used or waited for now. With more than EXPLAINED_MAX unfinished runs no limit is read, only the workers."""
    totals = dag_runs.read_total_run_counts(tx)
    unfinished = totals.get(DagRunState.RUNNING, 0) + totals.get(DagRunState.QUEUED, 0)
    hosts = {row.worker_id: row.host for row in list_live_workers(tx)}
    if unfinished > EXPLAINED_MAX:
        slots = {row.worker_id: row.slots for row in list_live_workers(tx)}
        return LimitsInUse(
            [],
            [WorkerUse(name, hosts[name], slots[name], -1) for name in sorted(hosts)],
            limits.parallelism,
            -1,
            is_complete=False,
        )
    with load_engine_state(tx, limits) as engine_state:
        uses = [
            use for use in _iterate_limits(engine_state, now) if (use.used or use.waiting) and is_visible(use.dag_id)
        ]
        workers = [
            WorkerUse(name, hosts.get(name, ""), worker.slots, worker.used_slots)
            for name, worker in sorted(engine_state.workers.items())
        ]
        live_attempts = engine_state.live_attempt_count
    uses.sort(key=lambda use: (not use.waiting, not use.is_reached, use.dag_id, use.run_id or "", use.name))
    return LimitsInUse(uses[:LISTED_MAX], workers, limits.parallelism, live_attempts, len(uses) <= LISTED_MAX)


def _iterate_limits(engine_state: EngineState, now: Instant) -> Iterator[LimitUse]:
    for dag in engine_state.dags.values():
        yield _build_run_limit(dag, now)
        yield from _build_task_limits(dag)


def _build_run_limit(dag: Dag, now: Instant) -> LimitUse:
    """The max_active_runs of a DAG. Runs that wait for other DAGs, and those of backfills, do not wait for it."""
    limit = active_runs_limit(dag)
    use = LimitUse(
        dag.record.dag_id,
        None,
        f"max_active_runs={limit}" if limit < UNBOUNDED else "max_active_runs",
        limit,
        dag.running_count,
    )
    waiting = [
        run
        for run in dag.runs.values()
        if run.record.state is DagRunState.QUEUED
        and run.backfill is None
        and run.pk not in dag.runs_waiting_upstream
        and run.record.run_after <= now
    ]
    if use.is_reached and dag.hold_reason is None:
        use.waiting = len(waiting)
        use.waiters = [_build_run(run) for run in sorted(waiting, key=lambda run: run.sort_key)[:USERS_MAX]]
    use.holders = [_build_run(dag.runs[pk]) for pk in sorted(dag.running_runs)[:USERS_MAX]]
    return use


def _build_task_limits(dag: Dag) -> Iterable[LimitUse]:
    """The limits of the tasks and of the single runs of a DAG."""
    uses: dict[int, LimitUse] = {}
    for run in dag.runs.values():
        for ti in (
            ti
            for instances in run.task_instances
            for ti in instances.values()
            if ti.has_attempt or _waits_for_admission(ti)
        ):
            for limit in collect_limits(ti):
                if limit.limit is not None:
                    _add_user(uses.setdefault(id(limit), _start(dag, run, limit)), ti, limit)
    return uses.values()


def _waits_for_admission(ti: TaskInstance) -> bool:
    return ti.is_queued or ti.state is TaskInstanceState.SCHEDULED


def _start(dag: Dag, run: DagRun, limit: ConcurrencyLimit) -> LimitUse:
    is_of_dag = any(dag_limit is limit for dag_limit in dag.task_limits.values())
    return LimitUse(
        dag.record.dag_id, None if is_of_dag else run.record.run_id, limit.name, limit.limit or 0, limit.used
    )


def _add_user(use: LimitUse, ti: TaskInstance, limit: ConcurrencyLimit) -> None:
    if ti.has_attempt:
        if len(use.holders) < USERS_MAX:
            use.holders.append(_build_instance(ti))
    elif limit.is_reached and ti.run.dag.hold_reason is None:
        use.waiting += 1
        if len(use.waiters) < USERS_MAX:
            use.waiters.append(_build_instance(ti))


def _build_run(run: DagRun) -> LimitUser:
    since = run.record.queued_at if run.record.state is DagRunState.QUEUED else run.record.started_at
    return LimitUser(run.dag.record.dag_id, run.record.run_id, None, -1, iso(since))


def _build_instance(ti: TaskInstance) -> LimitUser:
    return LimitUser(
        ti.run.dag.record.dag_id,
        ti.run.record.run_id,
        ti.task.task_id,
        ti.map_index,
        iso(ti.started_at) if ti.has_attempt else None,
    )
