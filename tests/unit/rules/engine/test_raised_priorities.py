"""Tasks whose priority a baseline has raised: admitted first in their pool and before other pools, within its bound, and until it is restored."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.rules.engine.queues import check_queues
from tests.unit.rules.engine.told import tell_task

from gnomon.model.records import PoolRecord, RaisedPriority, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.engine.state.queue_state import QueueState

from .world import World, dag_record

NARROW = [PoolRecord("p", 1, 0)]


def queue_of(
    *tasks: TaskSpec, limits: EngineLimits | None = None, pools: list[PoolRecord] = NARROW
) -> tuple[World, RunRecord]:
    world = World(dag_record([*tasks]), pools=pools, **({} if limits is None else {"limits": limits}))
    return world, world.start()


def raise_tasks(world: World, run: RunRecord, weights: Mapping[str, int]) -> None:
    dag_id = world.engine_state.dags[run.dag_pk].record.dag_id
    raised = {(run.run_id, task_id): RaisedPriority(weight, "morning") for task_id, weight in weights.items()}
    world.step(e.PrioritiesRaised(dag_id, raised))
    check_queues(world.engine_state)


def run_all(world: World) -> list[str]:
    """End one attempt after the other; their tasks in this order."""
    order: list[str] = []
    while attempts := world.live():
        order.append(attempts[0].task_id)
        world.end(attempts[0].task_id)
    return order


def test_raised_tasks_go_first_by_weight_and_others_as_before() -> None:
    world, run = queue_of(*(TaskSpec(task_id=name, pool="p") for name in "abcde"))
    raise_tasks(world, run, {"e": 5, "d": 9})
    assert run_all(world) == ["a", "d", "e", "b", "c"]


def test_a_task_with_a_greater_priority_of_its_own_stays_before_them() -> None:
    tasks = [
        TaskSpec(task_id=name, pool="p", effective_priority=weight) for name, weight in (("a", 9), ("b", 7), ("c", 1))
    ]
    world, run = queue_of(*tasks)
    raise_tasks(world, run, {"c": 5, "b": 2})
    assert run_all(world) == ["a", "b", "c"]
    assert world.engine_state.raised_dags == {run.dag_pk}


def test_what_is_restored_waits_in_its_old_place() -> None:
    world, run = queue_of(*(TaskSpec(task_id=name, pool="p") for name in "abcd"))
    raise_tasks(world, run, {"d": 9})
    raise_tasks(world, run, {})
    assert world.engine_state.raised_dags == set()
    assert run_all(world) == ["a", "b", "c", "d"]


def test_they_go_first_between_pools() -> None:
    """One attempt at once in all: pools take turns in the order of their names otherwise."""
    tasks = [TaskSpec(task_id=f"{pool}{number}", pool=pool) for pool in ("p", "q") for number in range(3)]
    pools = [PoolRecord("p", 3, 0), PoolRecord("q", 3, 0)]
    world, run = queue_of(*tasks, limits=EngineLimits(parallelism=1), pools=pools)
    raise_tasks(world, run, {"q1": 9, "q2": 9})
    assert run_all(world)[:3] == ["p0", "q1", "q2"]


def test_raised_tasks_that_wait_at_a_limit_or_for_a_larger_pool_are_sorted_again() -> None:
    tasks = [TaskSpec(task_id=name, pool="p", max_active_tis_per_dag=1) for name in "ab"]
    world, run = queue_of(*tasks, TaskSpec(task_id="huge", pool="p", pool_slots=3), pools=[PoolRecord("p", 2, 0)])
    other = world.start()
    queued = {
        ti.name(): ti.queue_state for tis in world.engine_state.runs[other.run_pk].task_instances for ti in tis.values()
    }
    assert queued == {"a": QueueState.LIMIT, "b": QueueState.LIMIT, "huge": QueueState.OVERSIZED}
    raise_tasks(world, other, {"b": 9, "huge": 9})
    raise_tasks(world, run, {})
    assert run_all(world) == ["a", "b", "a", "b"]
    world.pools["p"] = [3, 0]
    world.step(e.PoolsRead(world.pool_records()))
    assert [attempt.task_id for attempt in world.live()] == ["huge"]


def test_the_words_name_the_baseline_and_both_priorities() -> None:
    tasks = [
        TaskSpec(task_id=name, pool="p", pool_slots=slots) for name, slots in (("first", 2), ("large", 2), ("small", 2))
    ]
    world, run = queue_of(*tasks, pools=[PoolRecord("p", 3, 0)])
    raise_tasks(world, run, {"small": 80})
    state, pk = world.engine_state, run.run_pk
    assert tell_task(state, pk, "small", -1, world.now) == [
        "pool p has too few free slots: 2 of 3 slots are used and it needs 2; its priority is 80 instead of 1, as it is on the key path of baseline 'morning'"
    ]
    world, run = queue_of(
        *(TaskSpec(task_id=name, pool="p", pool_slots=slots) for name, slots in (("first", 2), ("large", 2))),
        TaskSpec(task_id="small", pool="p", effective_priority=1),
        pools=[PoolRecord("p", 2, 0)],
    )
    raise_tasks(world, run, {"large": 80})
    world.step(e.PoolsRead((PoolRecord("p", 3, 2),)))
    assert tell_task(world.engine_state, run.run_pk, "small", -1, world.now) == [
        "task large is before it in pool p and needs 2 slots, with priority 80 instead of 1 for baseline 'morning'; free: 1"
    ]
