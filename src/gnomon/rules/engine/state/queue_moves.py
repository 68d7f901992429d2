"""`move_in_queue`: the only function that changes the queue state of a task instance, and its container with it.

An instance leaves a heap by its generation: the entry stays where it is and is void from then on (`PriorityQueue`).
"""

from __future__ import annotations

from gnomon.rules.engine.state.limits import ConcurrencyLimit, Pool
from gnomon.rules.engine.state.queue_state import (
    NOT_QUEUED,
    QUEUE_TRANSITIONS,
    QueueCause,
    QueueState,
    next_queue_state,
)
from gnomon.rules.engine.state.task_instance import TaskInstance


def move_in_queue(
    ti: TaskInstance, cause: QueueCause, pool: Pool | None = None, limit: ConcurrencyLimit | None = None
) -> None:
    """Take the row of the table and put the instance into the container of the new state.

    `pool`: the pool of the instance, needed for POOL, LIMIT and OVERSIZED. `limit`: the reached limit, for LIMIT. Heap
    entries that the instance had before, those of timers included, become void. Raises IllegalTransition when the table
    has no such row.
    """
    previous = ti.queue_state
    state = ti.queue_state = QUEUE_TRANSITIONS.get((previous, cause)) or next_queue_state(previous, cause)
    ti.generation += 1
    if previous is _POOL and state is NOT_QUEUED:
        return  # an admission
    if previous is _DAG:
        del ti.run.dag.held_instances[ti]
    elif previous is _HOOK:
        del ti.run.hook_queue[ti]
    if state is NOT_QUEUED:
        return
    if state is _DAG:
        ti.run.dag.held_instances[ti] = None
        return
    if state is _HOOK:
        ti.run.hook_queue[ti] = None
        return
    assert pool is not None
    if state is _POOL:
        pool.enqueue(ti)
    elif state is _OVERSIZED:
        pool.oversized.push(ti.admission_key, ti)
    else:
        assert limit is not None
        limit.enqueue(ti, pool)


def dequeue(ti: TaskInstance) -> None:
    """Take the instance out of its queue, if it is in one, and make its timers void."""
    if ti.queue_state is NOT_QUEUED:
        ti.generation += 1
    else:
        move_in_queue(ti, QueueCause.DEQUEUE)


_POOL, _OVERSIZED, _DAG, _HOOK = (
    QueueState.POOL,
    QueueState.OVERSIZED,
    QueueState.DAG,
    QueueState.HOOK,
)  # see NOT_QUEUED
