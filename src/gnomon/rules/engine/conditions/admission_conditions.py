"""The conditions under which a ready task instance gets a worker, in the order in which admission checks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gnomon.model.executors import ConfiguredExecutors
from gnomon.model.sentences import ArgumentValue, Command, RunName, Sentence, TaskName, say
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
    conditions = _iterate_conditions(engine_state, ti, obstacles)
    raised = ti.raised
    if raised is None:
        yield from conditions
        return
    facts = {"number": str(raised.weight), "at_number": str(ti.priority), "baseline": raised.baseline}
    yield WaitCondition("priority", True, say("priority_is_raised", **facts))
    for condition in conditions:
        is_sorted = condition.kind in _SORTED and not condition.is_met
        told = (
            say("it_waits_with_raised_priority", why=condition.sentence, **facts) if is_sorted else condition.sentence
        )
        yield replace(condition, sentence=told)


_SORTED = ("pool_room", "parallelism", "worker", "turn")
"""Conditions that tasks fulfil in the order of their priority."""


def _iterate_conditions(
    engine_state: EngineState, ti: TaskInstance, obstacles: PoolObstacles
) -> Iterator[WaitCondition]:
    yield check_hold(ti.run.dag)
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


def check_hold(dag: Dag) -> WaitCondition:
    """Whether tasks of the DAG may start: it is not paused, and a file defines it."""
    if dag.hold_reason is None:
        return WaitCondition("dag_active", True, say("this_dag_is_not_paused"))
    release = ReleaseTarget(ReleaseAct.UNPAUSE_DAG, dag.record.dag_id) if dag.record.paused else None
    return WaitCondition("dag_active", False, describe_hold(dag), release=release)


def describe_hold(dag: Dag) -> Sentence:
    """Why no task of a DAG with a `hold_reason` may start."""
    return say("this_dag_is_paused") if dag.record.paused else say("this_dag_has_no_file")


def _check_pool_size(pool: Pool, ti: TaskInstance) -> Iterator[WaitCondition]:
    release = ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=ti.pool_slots)
    if pool.slots is None:
        command = Command("pools set", (pool.name, "SLOTS"))
        missing = say("pool_does_not_exist", missing_pool=pool.name, command=command)
        yield WaitCondition("pool_exists", False, missing, release=release)
    elif 0 <= pool.slots < ti.pool_slots:
        command = Command("pools set", (pool.name, str(ti.pool_slots)))
        needs = say("slots", count=ti.pool_slots)
        too_small = say("pool_is_too_small", needs=needs, pool=pool.name, slots=pool.slots, command=command)
        yield WaitCondition("pool_size", False, too_small, release=release)


def _check_limits(ti: TaskInstance) -> Iterator[WaitCondition]:
    for limit in collect_limits(ti):
        if limit.is_reached:
            option = limit.name.partition("=")[0]
            task_id = None if option == "max_active_tasks" else ti.task.task_id
            release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, ti.run.dag.record.dag_id, task_id=task_id, option=option)
            yield WaitCondition("limit", False, say("limit_is_reached", limit=limit.name), release=release)
        elif limit.limit is not None:
            yield WaitCondition("limit", True, say("limit_has_room", limit=limit.name, used=limit.used))


def _check_pool_room(pool: Pool, ti: TaskInstance) -> WaitCondition:
    assert pool.slots is not None
    facts: dict[str, ArgumentValue] = {"pool": pool.name, "used": pool.used, "needed": ti.pool_slots}
    if pool.has_room(ti.pool_slots):
        room = say("pool_has_room", slots=pool.slots, **facts) if pool.slots >= 0 else say("pool_is_endless", **facts)
        return WaitCondition("pool_room", True, room)
    code = "pool_is_full" if pool.used >= pool.slots else "pool_has_too_few_slots"
    release = ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=pool.used + ti.pool_slots)
    return WaitCondition("pool_room", False, say(code, slots=pool.slots, **facts), release=release)


def _check_workers(engine_state: EngineState, ti: TaskInstance) -> Iterator[WaitCondition]:
    parallelism = engine_state.limits.parallelism
    if parallelism is not None and engine_state.live_attempt_count >= parallelism:
        release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, option="[core] parallelism")
        reached = say("limit_is_reached", limit=f"[core] parallelism={parallelism}")
        yield WaitCondition("parallelism", False, reached, release=release)
    worker = ReleaseTarget(ReleaseAct.START_SERVICE, service="worker")
    executors = engine_state.limits.executors
    if executors is not None and (ti.executor is not None or len(executors.executors) > 1):
        yield _check_executor(engine_state, executors, ti, worker)
    elif not engine_state.workers:
        yield WaitCondition("worker", False, say("no_worker", command=Command("worker")), release=worker)
    elif find_free_worker(engine_state) is None:
        yield WaitCondition("worker", False, say("workers_are_full"), release=worker)
    else:
        yield WaitCondition("worker", True, say("worker_has_slot"))


def _check_executor(
    engine_state: EngineState, executors: ConfiguredExecutors, ti: TaskInstance, release: ReleaseTarget
) -> WaitCondition:
    """Whether a worker of the instance's executor, one of several, has a free slot."""
    executor = executors.find(ti.executor)
    if executor is None:
        return WaitCondition("worker", False, say("it_has_fault", fault=executors.describe_unknown(ti.executor or "")))
    name = str(executor)
    if find_full_executor(engine_state, ti) is None:
        return WaitCondition("worker", True, say("worker_of_executor_has_slot", executor=name))
    if not engine_state.get_executor_limit(executor).workers:
        missing = say("no_worker_of_executor", executor=name, command=Command("worker"))
        return WaitCondition("worker", False, missing, release=release)
    return WaitCondition("worker", False, say("workers_of_executor_are_full", executor=name), release=release)


def _check_turn(pool: Pool, first: TaskInstance | None, ti: TaskInstance) -> WaitCondition:
    if first is None or first.admission_key >= ti.admission_key:
        return WaitCondition("turn", True, say("task_is_first_in_pool", pool=pool.name))
    facts: dict[str, ArgumentValue] = {
        "other": _name_for(first, ti),
        "pool": pool.name,
        "needs": say("slots", count=first.pool_slots),
        "free": (pool.slots or 0) - pool.used,
    }
    raised = first.raised
    behind = (
        say("task_is_behind_another", **facts)
        if raised is None
        else say(
            "task_is_behind_raised",
            **facts,
            number=str(raised.weight),
            at_number=str(first.priority),
            baseline=raised.baseline,
        )
    )
    release = ReleaseTarget(ReleaseAct.SET_POOL, pool=pool.name, slots=pool.used + first.pool_slots)
    return WaitCondition("turn", False, behind, release=release)


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


def _name_for(other: TaskInstance, ti: TaskInstance) -> Sentence:
    """The name of another instance, with its run and its DAG where they differ."""
    task = name_task(other)
    if other.run is ti.run:
        return say("named_task", task=task)
    run = RunName(task.dag_id, task.run_id)
    if other.run.dag is ti.run.dag:
        return say("named_task_of_run", task=task, run=run)
    return say("named_task_of_dag", task=task, run=run, dag=task.dag_id)


def name_task(ti: TaskInstance) -> TaskName:
    """The instance as an argument of a sentence."""
    return TaskName(ti.run.dag.record.dag_id, ti.run.record.run_id, ti.task.task_id, ti.map_index)
