"""The conditions under which a ready task instance gets a worker, in the order in which admission checks them."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.model.executors import ConfiguredExecutors
from gnomon.model.ids import quote_argument
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.rules.engine.admission.admission_pass import find_free_worker
from gnomon.rules.engine.lifecycle.capacity import collect_limits, find_full_executor, find_reached_limit
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.limits import LimitQueue, Pool
from gnomon.rules.engine.state.task_instance import Dag, TaskInstance

PoolObstacles = dict[str, TaskInstance | None]
"""By name of the pool, the task instance that keeps those behind it from free slots; kept for one call over many instances."""


def iterate_admission_conditions(
    engine_state: EngineState, ti: TaskInstance, obstacles: PoolObstacles
) -> Iterator[WaitCondition]:
    """Each condition with its state now. The text of the first that is not met is the sentence of `explain`."""
    yield describe_hold(ti.run.dag)
    pool = engine_state.get_pool(ti.target_pool)
    yield from _check_pool_size(pool, ti)
    if pool.slots is None:
        return
    yield from _check_limits(ti)
    if not pool.is_too_small(ti.pool_slots):
        yield _check_pool_room(pool, ti)
    yield from _check_workers(engine_state, ti)
    if pool.name not in obstacles:
        obstacles[pool.name] = _find_obstacle(engine_state, pool)
    yield _check_turn(pool, obstacles[pool.name], ti)


def describe_hold(dag: Dag) -> WaitCondition:
    """Whether tasks of the DAG may start: it is not paused, and a file defines it."""
    if dag.hold_reason is None:
        return WaitCondition("dag_active", True, "the DAG is not paused")
    release = ReleaseTarget(ReleaseAct.UNPAUSE_DAG, dag.record.dag_id) if dag.record.paused else None
    return WaitCondition("dag_active", False, dag.hold_reason, release=release)


def _check_pool_size(pool: Pool, ti: TaskInstance) -> Iterator[WaitCondition]:
    release = ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=ti.pool_slots)
    if pool.slots is None:
        yield WaitCondition(
            "pool_exists",
            False,
            f"pool {pool.name} does not exist; make it with: gnomon pools set {quote_argument(pool.name)} SLOTS",
            release=release,
        )
    elif 0 <= pool.slots < ti.pool_slots:
        text = f"it needs {format_slots(ti.pool_slots)} and pool {pool.name} has {pool.slots}; it can never start. Give the pool more: gnomon pools set {quote_argument(pool.name)} {ti.pool_slots}"
        yield WaitCondition("pool_size", False, text, release=release)


def _check_limits(ti: TaskInstance) -> Iterator[WaitCondition]:
    for limit in collect_limits(ti):
        if limit.is_reached:
            option = limit.name.partition("=")[0]
            task_id = None if option == "max_active_tasks" else ti.task.task_id
            release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, ti.run.dag.record.dag_id, task_id=task_id, option=option)
            yield WaitCondition("limit", False, f"{limit.name} is reached", release=release)
        elif limit.limit is not None:
            yield WaitCondition("limit", True, f"{limit.name} has room: {limit.used} running")


def _check_pool_room(pool: Pool, ti: TaskInstance) -> WaitCondition:
    assert pool.slots is not None
    if pool.has_room(ti.pool_slots):
        count = "any number" if pool.slots < 0 else str(pool.slots)
        return WaitCondition(
            "pool_room",
            True,
            f"pool {pool.name} has room: {pool.used} of {count} slots are used and it needs {ti.pool_slots}",
        )
    state = "is full" if pool.used >= pool.slots else "has too few free slots"
    text = f"pool {pool.name} {state}: {pool.used} of {pool.slots} slots are used and it needs {ti.pool_slots}"
    return WaitCondition(
        "pool_room",
        False,
        text,
        release=ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=pool.used + ti.pool_slots),
    )


def _check_workers(engine_state: EngineState, ti: TaskInstance) -> Iterator[WaitCondition]:
    parallelism = engine_state.limits.parallelism
    if parallelism is not None and engine_state.live_attempt_count >= parallelism:
        release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, option="[core] parallelism")
        yield WaitCondition("parallelism", False, f"[core] parallelism={parallelism} is reached", release=release)
    worker = ReleaseTarget(ReleaseAct.START_SERVICE, service="worker")
    executors = engine_state.limits.executors
    if executors is not None and (ti.executor is not None or len(executors.executors) > 1):
        yield _check_executor(engine_state, executors, ti, worker)
    elif not engine_state.workers:
        yield WaitCondition("worker", False, "no worker is alive; start one with: gnomon worker", release=worker)
    elif find_free_worker(engine_state) is None:
        yield WaitCondition("worker", False, "every slot of every worker is taken", release=worker)
    else:
        yield WaitCondition("worker", True, "a worker has a free slot")


def _check_executor(
    engine_state: EngineState, executors: ConfiguredExecutors, ti: TaskInstance, release: ReleaseTarget
) -> WaitCondition:
    """Whether a worker of the instance's executor, one of several, has a free slot."""
    executor = executors.find(ti.executor)
    if executor is None:
        return WaitCondition("worker", False, f"it {executors.describe_unknown(ti.executor or '')}")
    if find_full_executor(engine_state, ti) is None:
        return WaitCondition("worker", True, f"a worker of the {executor} has a free slot")
    if not engine_state.get_executor_limit(executor).workers:
        return WaitCondition(
            "worker",
            False,
            f"it waits for the {executor}, of which no worker is alive; start one with: gnomon worker",
            release=release,
        )
    return WaitCondition(
        "worker", False, f"it waits for the {executor}: every slot of every worker of it is taken", release=release
    )


def _check_turn(pool: Pool, first: TaskInstance | None, ti: TaskInstance) -> WaitCondition:
    if first is None or first.admission_key >= ti.admission_key:
        return WaitCondition("turn", True, f"no task instance is before it in pool {pool.name}")
    text = f"{_name_for(first, ti)} is before it in pool {pool.name} and needs {format_slots(first.pool_slots)}; free: {(pool.slots or 0) - pool.used}"
    return WaitCondition(
        "turn",
        False,
        text,
        release=ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=pool.used + first.pool_slots),
    )


def _find_obstacle(engine_state: EngineState, pool: Pool) -> TaskInstance | None:
    """The first instance of the pool's queue that may start but for its slots; admission serves none behind it."""
    firsts = (item.task_instances.peek() if isinstance(item, LimitQueue) else item for item in pool.ready_queue)
    waiting = (first for first in firsts if isinstance(first, TaskInstance))
    return min(
        (
            ti
            for ti in waiting
            if not pool.has_room(ti.pool_slots)
            and not pool.is_too_small(ti.pool_slots)
            and ti.run.dag.hold_reason is None
            and find_reached_limit(ti) is None
            and find_full_executor(engine_state, ti) is None
        ),
        key=lambda ti: ti.admission_key,
        default=None,
    )


def _name_for(other: TaskInstance, ti: TaskInstance) -> str:
    """The name of another instance, with its run and its DAG where they differ."""
    if other.run is ti.run:
        return f"task {other.name()}"
    dag = "" if other.run.dag is ti.run.dag else f" of DAG {other.run.dag.record.dag_id}"
    return f"task {other.name()} of run {other.run.record.run_id}{dag}"


def format_slots(count: int) -> str:
    """`1 slot`, `2 slots`."""
    return f"{count} slot{'s' if count != 1 else ''}"
