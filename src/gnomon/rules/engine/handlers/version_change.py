"""A new version of a DAG: its unfinished runs follow it, unless they keep a version of a DAG bundle, and their task instances move to the new graph by task id."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import AttemptRecord, DagRecord, TaskRecord
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.expansion import FactorLengths, count_instances
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.dependencies.run_dependencies import refresh_edges
from gnomon.rules.engine.lifecycle.capacity import acquire_limits, release_limits
from gnomon.rules.engine.lifecycle.deferrals import discard_deferral_record, set_deferral_timer
from gnomon.rules.engine.lifecycle.expansion_loading import (
    build_unknown_lengths,
    restore_indices,
    restore_task_instance,
)
from gnomon.rules.engine.lifecycle.expansions import expand_literals, reconcile_expansions
from gnomon.rules.engine.lifecycle.instance_mutation import ask_again, void_answer
from gnomon.rules.engine.lifecycle.run_lifecycle import (
    detach_dag,
    enqueue_run_evaluation,
    is_within_task_bounds,
    keep_in_history,
    set_timeout_timer,
)
from gnomon.rules.engine.lifecycle.tallies import recount_tallies
from gnomon.rules.engine.lifecycle.task_end import is_finished, stop_task_instance
from gnomon.rules.engine.lifecycle.task_lifecycle import make_ready
from gnomon.rules.engine.lifecycle.upstream_subscriptions import notify_dag_changed, notify_dag_deleted
from gnomon.rules.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.rules.engine.state.queue_state import QueueCause
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_graph import TaskGraph
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance, new_run_limit
from gnomon.rules.engine.step_context import CancelOrder, StepContext


def on_dag_read(context: StepContext, record: DagRecord) -> None:
    """Apply the record of a DAG: it is new, has a new version, was paused or unpaused, or a file stopped or began defining it."""
    engine_state = context.engine_state
    dag = engine_state.dags.get(record.dag_pk)
    context.result.plannable_dags.add(record.dag_pk)
    if dag is None:
        notify_dag_changed(context, engine_state.add_dag(record), None)
        return
    context.current_dag = dag
    was_held, previous = dag.hold_reason, dag.record
    changed = record.version_pk != dag.record.version_pk
    dag.record = record
    if record.input_hash != previous.input_hash:
        for run in dag.runs.values():
            ask_again(context, run)
    if changed:
        _move_runs_to_graph(context, dag, TaskGraph(record.spec, record.version_pk, record.task_numbers))
    if was_held is not None and dag.hold_reason is None:
        _resume_dag(context, dag)
    notify_dag_changed(context, dag, None if dag.is_as_loaded else previous)
    dag.is_as_loaded = False
    context.startable_dags[dag] = None


def _resume_dag(context: StepContext, dag: Dag) -> None:
    """The DAG is no longer held: its held instances return to their pools, and timers that passed meanwhile are set again."""
    for ti in list(dag.held_instances):
        if ti.starts_deferred:
            dequeue(ti)
            make_ready(context, ti)
        else:
            move_in_queue(ti, QueueCause.DAG_RESUMED, context.engine_state.get_pool(ti.pool or ti.target_pool))
    for run in dag.runs.values():
        if run.is_running:
            set_timeout_timer(context.engine_state, run)
        for instances in run.task_instances:
            for ti in instances.values():
                if ti.state in WITHOUT_PROCESS_STATES:
                    set_deferral_timer(context.engine_state, ti)


def _move_runs_to_graph(context: StepContext, dag: Dag, graph: TaskGraph) -> None:
    """Move the unfinished runs to `graph` but for those that keep their version, and live instances to its limits."""
    dag.graph = graph
    live = [
        ti
        for run in dag.runs.values()
        for instances in run.task_instances
        for ti in instances.values()
        if ti.has_attempt
    ]
    for ti in live:
        release_limits(ti)
    dag.task_limits = {}
    for run in list(dag.runs.values()):
        if not run.record.keeps_version:
            rebase_run(context, run, graph)
    for ti in live:
        if ti.has_attempt:
            acquire_limits(ti)
    if not graph.depends_on_previous_run:
        dag.run_history = []


def take_newest_version(context: StepContext, run: DagRun) -> None:
    """Move an unfinished run that keeps its version to the newest one; its attempts that are running end with the code that they have."""
    dag, record = run.dag, run.record
    record.kept_spec = None
    record.bundle_version = (
        dag.record.bundle_version if run.is_running and not dag.graph.spec.disable_bundle_versioning else None
    )
    live = [ti for instances in run.task_instances for ti in instances.values() if ti.has_attempt]
    for ti in live:
        release_limits(ti)
    rebase_run(context, run, dag.graph)
    for ti in live:
        if ti.has_attempt:
            acquire_limits(ti)
    context.mark_run_dirty(run)


def rebase_run(context: StepContext, run: DagRun, graph: TaskGraph) -> None:
    """Move an unfinished run to `graph`: remove tasks that left the DAG, add new tasks, compute the tallies anew."""
    old = {ti.task.task_id: instances for instances in run.task_instances for ti in instances.values()}
    lengths = {
        run.graph.tasks[index].task_id: run.find_lengths(index) for index in (*run.former_lengths, *run.expansions)
    }
    queued = [ti for instances in old.values() for ti in instances.values() if ti.is_queued]
    kept_tis = [ti for ti in queued if ti.task.task_id in graph.index_of]
    for ti in queued:
        dequeue(ti)
    for task_id, instances in old.items():
        if task_id not in graph.index_of:
            _remove_task(context, run, list(instances.values()))
    context.pending_evaluations = deque(entry for entry in context.pending_evaluations if entry[0] is not run)
    changed = run.graph.version_pk != graph.version_pk
    run.graph = graph
    run.active_tasks_limit, run.task_limits = new_run_limit(graph), {}
    _move_lengths(run, lengths)
    run.lengths_version += 1
    run.task_instances = [{} for _ in graph.tasks]
    for i, task in enumerate(graph.tasks):
        run.task_instances[i] = _task_instances_at(context, run, i, old.get(task.task_id))
    recount_tallies(run)
    keep_in_history(run)
    run.record.version_pk = graph.version_pk
    if changed:
        context.mark_run_dirty(run)
    if run.is_running:
        expand_literals(context, run)
    reconcile_expansions(context, run)
    for ti in kept_tis:
        if (
            not ti.is_queued
            and ti.state not in FINISHED_TASK_STATES
            and ti.run.find_task_instance(ti.index, ti.map_index) is ti
        ):
            make_ready(context, ti)
    for instances in run.task_instances:
        for ti in instances.values():
            if ti.state in WITHOUT_PROCESS_STATES:
                set_deferral_timer(context.engine_state, ti)
    if run.is_running:
        set_timeout_timer(context.engine_state, run)
        enqueue_run_evaluation(context, run)
    refresh_edges(context, run)


def _remove_task(context: StepContext, run: DagRun, instances: list[TaskInstance]) -> None:
    """The task left the DAG: finish its instances as removed; their rows are kept, because the task may return."""
    for ti in instances:
        if not is_finished(ti) and (ti.has_attempt or ti.is_stored):
            stop_task_instance(context, ti, Cause.REMOVE, _TASK_REMOVED)
        context.newly_ready.pop(ti, None)
        row = ti.to_record()
        if context.dirty_instances.pop(ti, 0) is None:
            context.changes.tasks.append(row)
            ti.is_stored = True
        if ti.is_stored:
            run.removed_task_rows.setdefault(row.task_no, []).append(row)


def _task_instances_at(
    context: StepContext, run: DagRun, index: int, previous: dict[int, TaskInstance] | None
) -> dict[int, TaskInstance]:
    """The instances of a task of the new graph: `previous` of the old graph, those of a task that returned, or a new one."""
    task = run.graph.tasks[index]
    if previous is None:
        rows = run.removed_task_rows.pop(run.graph.numbers[index], None)
        if rows is not None:
            return _restore_returning(context, run, index, rows)
        return {UNMAPPED: TaskInstance(run, index, UNMAPPED, task)} if is_within_task_bounds(task, run.record) else {}
    for ti in previous.values():
        ti.index, ti.task = index, task
        if ti.attempt is None:
            void_answer(context, ti)
            ti.set_overrides(ti.overrides)
        if ti.try_number == 0:
            ti.max_tries = task.retries
    return _move_indices(context, run, index, previous)


def _move_indices(
    context: StepContext, run: DagRun, index: int, instances: dict[int, TaskInstance]
) -> dict[int, TaskInstance]:
    """The instances of a task in the new graph; those with map indices and without rows are made anew."""
    if index in run.expansions or UNMAPPED not in instances:
        if not any(ti.is_stored or ti in context.dirty_instances for ti in instances.values()):
            run.expansions.pop(index, None)
            run.former_lengths.pop(index, None)
            return {UNMAPPED: TaskInstance(run, index, UNMAPPED, run.graph.tasks[index])} if instances else {}
        if 0 in instances:
            context.mark_dirty(instances[0])  # its row holds the lengths
    return instances


def _restore_returning(
    context: StepContext, run: DagRun, index: int, rows: list[TaskRecord]
) -> dict[int, TaskInstance]:
    """The instances of a task that returned; rows of removed instances are written again."""
    run.task_instances[index] = {
        row.map_index: restore_task_instance(run, index, row) for row in rows if row.map_index < 0
    }
    indexed = [row for row in rows if row.map_index >= 0]
    if indexed:
        restore_indices(run, index, indexed)
    instances = run.task_instances[index]
    for row in rows:
        if row.state is S.REMOVED and instances[row.map_index].state is None:
            context.mark_dirty(instances[row.map_index])
    return instances


def _move_lengths(run: DagRun, lengths_of: Mapping[str, FactorLengths | None]) -> None:
    """Put the lengths, by task id, to the tasks of the new graph. Those of another number of levels become the number of instances."""
    run.expansions, run.former_lengths = {}, {}
    for task_id, lengths in lengths_of.items():
        index = run.graph.index_of.get(task_id)
        if index is None or lengths is None:
            continue
        if not run.graph.is_mapped(index) or run.graph.mapping is None:
            run.former_lengths[index] = lengths
            continue
        count = len(run.graph.mapping.levels[index])
        run.expansions[index] = TaskExpansion(
            lengths if len(lengths) == count else build_unknown_lengths(count_instances(lengths), count)
        )


def finalize_removed_tasks(context: StepContext, run: DagRun) -> None:
    """Move a run that was read to the newest version of its DAG: unfinished rows of tasks that left the DAG become removed."""
    reconcile_expansions(context, run)
    if run.is_running and run.record.version_pk != run.graph.version_pk:
        run.record.version_pk = run.graph.version_pk
        context.mark_run_dirty(run)
    names = (
        {number: task_id for task_id, number in run.dag.record.task_numbers.items()} if run.removed_task_rows else {}
    )
    for rows in run.removed_task_rows.values():
        for row in rows:
            if row.state in FINISHED_TASK_STATES:
                continue
            row.ended_at = context.now
            deferral, row.deferral = row.deferral, None
            if deferral is not None:
                discard_deferral_record(context, deferral, row.pool, killed=True)
            if row.attempt is not None:
                _end_removed_attempt(context, run, row, names[row.task_no])
            lifecycle.transition(row, Cause.REMOVE)
            row.reason = _TASK_REMOVED
            row.resume_at = None
            context.changes.tasks.append(row)
            context.result.touched_groups.add(run.dag.record.group_no)


def reset_removed_tasks(context: StepContext, run: DagRun) -> None:
    """The whole run was cleared: set the rows of tasks that left the DAG to removed, so that they start anew if they return."""
    for rows in run.removed_task_rows.values():
        for row in rows:
            if row.state is not S.REMOVED:
                lifecycle.transition(row, Cause.REMOVE)
                row.reason = _TASK_REMOVED
                row.ended_at = row.ended_at or context.now
                context.changes.tasks.append(row)


def _end_removed_attempt(context: StepContext, run: DagRun, row: TaskRecord, task_id: str) -> None:
    assert row.attempt is not None and row.pool is not None
    if row.worker is not None:
        context.result.cancels.append(CancelOrder(row.worker, row.attempt, _TASK_REMOVED))
    log = build_attempt_log_path(run.dag.record.dag_id, run.record.run_id, task_id, row.map_index, row.seq)
    context.changes.attempts.append(
        AttemptRecord(
            run_pk=run.pk,
            task_no=row.task_no,
            map_index=row.map_index,
            seq=row.seq,
            attempt=row.attempt,
            try_number=row.try_number,
            kind="task",
            state="failed",
            reason=_TASK_REMOVED,
            worker=row.worker,
            started_at=row.started_at,
            ended_at=row.ended_at,
            exit_code=None,
            log=log,
        )
    )
    used = context.changes.pool_used
    used[row.pool] = used.get(row.pool, 0) - row.pool_slots
    context.engine_state.get_pool(row.pool).used -= row.pool_slots
    row.attempt = row.worker = None


def on_dag_deleted(context: StepContext, dag_pk: int) -> None:
    """Remove a DAG that was deleted from the store."""
    dag = context.engine_state.dags.get(dag_pk)
    if dag is not None:
        notify_dag_deleted(context, dag.record.dag_id)
        detach_dag(context.engine_state, dag)


_TASK_REMOVED = render(say("task_left_dag"))
