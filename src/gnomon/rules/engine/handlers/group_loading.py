"""Load groups into memory and drop them: at a start, at a take-over, and after a refused commit (LOAD in docs/contributing/ownership.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from gnomon.model.backfills import BackfillRecord
from gnomon.model.ids import group_of
from gnomon.model.records import GroupState, TaskRecord
from gnomon.rules.engine.lifecycle.run_callbacks import restore_callback
from gnomon.rules.engine.lifecycle.run_lifecycle import attach_previous_run, attach_run, detach_dag
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.run_facts import describe_run
from gnomon.rules.engine.state.task_instance import DagRun


def load_groups(engine_state: EngineState, state: GroupState, epochs: Mapping[int, int]) -> list[DagRun]:
    """Add these groups to memory as the store has them.

    `epochs`: group to the epoch of its ownership. Returns the runs that the next step is to evaluate (`loaded_runs` of `step`).
    """
    engine_state.epochs.update(epochs)
    rows: dict[int, list[TaskRecord]] = defaultdict(list)
    for task in state.tasks:
        rows[task.run_pk].append(task)
    backfills: dict[int, list[BackfillRecord]] = defaultdict(list)
    for backfill in state.backfills:
        backfills[backfill.dag_pk].append(backfill)
    for record in state.dags:
        dag = engine_state.add_dag(record)
        dag.is_as_loaded = True
        engine_state.set_raised(dag, state.raised_priorities.get(record.dag_id))
        dag.backfills.update((backfill.backfill_pk, BackfillQueue(backfill)) for backfill in backfills[record.dag_pk])
        for run, tasks in state.previous_runs.get(record.dag_pk, ()):
            attach_previous_run(engine_state, dag, run, tasks)
    loaded = []
    for run_record in state.runs:
        dag_of_run = engine_state.dags.get(run_record.dag_pk)
        if dag_of_run is not None:
            attached = attach_run(
                engine_state,
                dag_of_run,
                run_record,
                rows[run_record.run_pk],
                state.run_waits.get(run_record.run_pk, ()),
            )
            attached.deadlines = {deadline.deadline_no: deadline for deadline in state.deadlines.get(attached.pk, ())}
            loaded.append(attached)
    for callback, run_record in state.callbacks:
        owner = engine_state.dags.get(callback.dag_pk)
        if owner is not None:
            restore_callback(engine_state, owner, callback, describe_run(owner.record.dag_id, run_record))
    return loaded


def drop_groups(engine_state: EngineState, groups: Iterable[int]) -> None:
    """Remove these groups, their DAGs, runs and subscriptions from memory; the store is not changed."""
    dropped = set(groups)
    for dag_id in [dag_id for dag_id in engine_state.subscriptions if group_of(dag_id) in dropped]:
        del engine_state.subscriptions[dag_id]
    for dag in [dag for dag in engine_state.dags.values() if dag.record.group_no in dropped]:
        detach_dag(engine_state, dag)
    for group in dropped:
        engine_state.epochs.pop(group, None)
    for pool in engine_state.pools.values():
        pool.ready_queue.compact()
        pool.oversized.compact()
    for limit in engine_state.executor_limits.values():
        for limit_queue in limit.queues.values():
            limit_queue.task_instances.compact()
    engine_state.timers.compact()
