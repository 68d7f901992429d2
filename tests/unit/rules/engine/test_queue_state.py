"""The table of the queue states: every row moves the instance to its container, every missing row is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.model.errors.product import IllegalTransition
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.rules.engine.state.queue_state import QUEUE_TRANSITIONS, QueueCause, QueueState, next_queue_state
from gnomon.rules.engine.state.task_instance import TaskInstance

from .queues import check_queues
from .world import World, dag_record

NO_ADMISSION = EngineLimits(parallelism=0)
MISSING = [(state, cause) for state in QueueState for cause in QueueCause if (state, cause) not in QUEUE_TRANSITIONS]
WAYS_INTO: dict[QueueState, tuple[QueueCause, ...]] = {
    QueueState.NONE: (),
    QueueState.HOOK: (QueueCause.HOOK_NEEDED,),
    QueueState.POOL: (QueueCause.BECOME_READY,),
    QueueState.LIMIT: (QueueCause.BECOME_READY, QueueCause.LIMIT_REACHED),
    QueueState.OVERSIZED: (QueueCause.BECOME_READY, QueueCause.POOL_TOO_SMALL),
    QueueState.DAG: (QueueCause.DAG_HELD,),
}


def _instance_in(state: QueueState) -> tuple[World, TaskInstance, Callable[[QueueCause], None]]:
    """A task instance in that queue state, and the function that moves it."""
    world = World(dag_record([TaskSpec(task_id="a")]), limits=NO_ADMISSION)
    run = world.engine_state.runs[world.start().run_pk]
    ti = run.task_instances[0][-1]
    dequeue(ti)

    def move(cause: QueueCause) -> None:
        move_in_queue(ti, cause, world.engine_state.get_pool("default_pool"), run.active_tasks_limit)

    for cause in WAYS_INTO[state]:
        move(cause)
    assert ti.queue_state is state
    return world, ti, move


@pytest.mark.parametrize(("state", "cause"), sorted(QUEUE_TRANSITIONS, key=str))
def test_each_row_moves_the_instance_to_the_container_of_the_new_state(state: QueueState, cause: QueueCause) -> None:
    world, ti, move = _instance_in(state)
    generation = ti.generation
    move(cause)
    assert ti.queue_state is QUEUE_TRANSITIONS[state, cause]
    assert ti.generation == generation + 1
    check_queues(world.engine_state)


@pytest.mark.parametrize(("state", "cause"), sorted(MISSING, key=str))
def test_a_missing_row_is_refused_and_changes_nothing(state: QueueState, cause: QueueCause) -> None:
    world, ti, move = _instance_in(state)
    with pytest.raises(IllegalTransition, match=state.value):
        move(cause)
    assert ti.queue_state is state
    check_queues(world.engine_state)


def test_every_queued_state_is_left_by_dequeue() -> None:
    queued = [state for state in QueueState if state is not QueueState.NONE]
    assert {next_queue_state(state, QueueCause.DEQUEUE) for state in queued} == {QueueState.NONE}


def test_dequeue_of_an_instance_in_no_queue_makes_its_timers_void() -> None:
    world, ti, _ = _instance_in(QueueState.NONE)
    world.engine_state.set_timer(world.now, ti)
    dequeue(ti)
    assert world.engine_state.next_timer() is None


def test_an_oversized_instance_returns_to_its_pool_when_the_pool_grows() -> None:
    world = World(dag_record([TaskSpec(task_id="a", pool="small", pool_slots=3)]), pools=[PoolRecord("small", 2, 0)])
    run = world.engine_state.runs[world.start().run_pk]
    ti = run.task_instances[0][-1]
    assert ti.queue_state is QueueState.OVERSIZED
    world.pools["small"][0] = 3
    world.step(e.PoolsRead(world.pool_records()))
    assert ti.queue_state is QueueState.NONE
    assert [attempt.task_id for attempt in world.live()] == ["a"]
