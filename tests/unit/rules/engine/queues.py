"""The invariant of the queues: each task instance is in the container of its queue state, once, and in no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.limits import ConcurrencyLimit, LimitQueue
from gnomon.rules.engine.state.queue_state import QueueState
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance


def check_queues(engine_state: EngineState) -> None:
    """Compare the containers with the queue states of all task instances in memory."""
    contained = Counter(_contents(engine_state))
    instances = [
        ti for run in engine_state.runs.values() for by_map_index in run.task_instances for ti in by_map_index.values()
    ]
    expected = Counter((ti.queue_state, ti) for ti in instances if ti.queue_state is not QueueState.NONE)
    assert contained == expected, [(state, ti.name()) for state, ti in (contained - expected) + (expected - contained)]
    queued_with_attempt = [ti.name() for ti in instances if ti.is_queued and ti.has_attempt]
    assert not queued_with_attempt, queued_with_attempt


def _contents(engine_state: EngineState) -> Iterator[tuple[QueueState, TaskInstance]]:
    for pool in engine_state.pools.values():
        for item in pool.ready_queue:
            if isinstance(item, TaskInstance):
                yield QueueState.POOL, item
        for item in pool.oversized:
            assert isinstance(item, TaskInstance)
            yield QueueState.OVERSIZED, item
    for executor_limit in engine_state.executor_limits.values():
        for limit_queue in executor_limit.queues.values():
            yield from _waiting_at(limit_queue)
    for dag in engine_state.dags.values():
        for ti in dag.held_instances:
            yield QueueState.DAG, ti
        for run in dag.runs.values():
            for ti in run.hook_queue:
                yield QueueState.HOOK, ti
        for limit in _limits_of(dag):
            for limit_queue in limit.queues.values():
                yield from _waiting_at(limit_queue)


def _waiting_at(limit_queue: LimitQueue) -> Iterator[tuple[QueueState, TaskInstance]]:
    for item in limit_queue.task_instances:
        assert isinstance(item, TaskInstance)
        yield QueueState.LIMIT, item


def _limits_of(dag: Dag) -> Iterator[ConcurrencyLimit]:
    runs: dict[int, DagRun] = dag.runs
    yield from dag.task_limits.values()
    for run in runs.values():
        yield run.active_tasks_limit
        yield from run.task_limits.values()
