"""The life of a run: attached to memory, started when its DAG has room, ended when all tasks are finished, detached."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Iterable

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, add_seconds
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.run_waits import RunWait, WaitState
from gnomon.model.sentences import render, say
from gnomon.model.spec import TaskSpec
from gnomon.model.states import FAILED_TASK_STATES, FINISHED_RUN_STATES, WITHOUT_PROCESS_STATES, DagRunState, DagRunType
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.outcomes import (
    EndedInstance,
    build_overlap_end,
    decide_run_outcome,
    describe_run_failure,
    parse_run_stop,
)
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.decide.trigger_rules import Tally
from gnomon.rules.engine.lifecycle.alert_facts import record_run_failure
from gnomon.rules.engine.lifecycle.capacity import acquire, release
from gnomon.rules.engine.lifecycle.deadlines import prune_deadlines, set_deadline_timers
from gnomon.rules.engine.lifecycle.deferrals import set_deferral_timer
from gnomon.rules.engine.lifecycle.expansion_loading import restore_expansions, restore_task_instance
from gnomon.rules.engine.lifecycle.expansions import expand_literals
from gnomon.rules.engine.lifecycle.run_callbacks import (
    detach_callbacks,
    enqueue_run_end_callbacks,
    enqueue_run_start_callbacks,
)
from gnomon.rules.engine.lifecycle.run_preemption import preempt_later_run
from gnomon.rules.engine.lifecycle.run_stopping import stop_run
from gnomon.rules.engine.lifecycle.tallies import recount_tallies
from gnomon.rules.engine.lifecycle.task_end import stop_tasks
from gnomon.rules.engine.lifecycle.task_lifecycle import make_ready
from gnomon.rules.engine.lifecycle.upstream_subscriptions import notify_run_ended, unsubscribe
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.state.edge_waits import build_edge_waits, waits_for_upstreams
from gnomon.rules.engine.state.engine_state import EngineState, Follower
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext

MAX_STARTED_PER_STEP = 5000
"""Task instances of runs that one step starts; further runs start in the next step, which follows at once."""
UNBOUNDED = 1_000_000
"""The number that stands for no limit on the running runs of a DAG."""


def attach_run(
    engine_state: EngineState,
    dag: Dag,
    record: RunRecord,
    rows: Iterable[TaskRecord],
    run_waits: Iterable[RunWait] = (),
) -> DagRun:
    """Add a run to memory as the store has it; a run with the same run_pk is replaced. Returns it."""
    detach_run(engine_state, dag, record.run_pk)
    run = DagRun(dag, record)
    follower = engine_state.follower
    if follower is not None and not run.graph.edges and _can_be_followed(run) and not (rows := tuple(rows)):
        run.follower = follower.take(run)
    if run.follower is None:
        build_task_instances(run, rows)
    waits = tuple(run_waits)
    run.edges = build_edge_waits(run.graph.edges, record, waits)
    run.stale_waits = tuple(wait for wait in waits if wait.edge_no not in run.edges)
    for instances in run.task_instances:
        for ti in instances.values():
            if ti.attempt is not None:
                acquire(engine_state, ti)
            elif ti.state is None:
                continue
            elif ti.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and ti.resume_at is not None:
                engine_state.set_timer(ti.resume_at, ti)
            elif ti.state in WITHOUT_PROCESS_STATES:
                set_deferral_timer(engine_state, ti)
    engine_state.runs[run.pk] = dag.runs[run.pk] = run
    if record.slot_at is not None:
        dag.by_slot[record.slot_at] = run
    set_edge_timers(engine_state, run)
    if record.state is DagRunState.QUEUED and waits_for_upstreams(run.edges.values()):
        dag.runs_waiting_upstream[run.pk] = None
    elif record.state is DagRunState.QUEUED:
        dag.enqueue_run(run)
    elif record.state is DagRunState.RUNNING:
        dag.count_running(run, 1)
        set_timeout_timer(engine_state, run)
    keep_in_history(run)
    return run


def attach_previous_run(engine_state: EngineState, dag: Dag, record: RunRecord, rows: Iterable[TaskRecord]) -> None:
    """Add a finished run to the history of the DAG, because a later run depends on it; no effect if it is known."""
    if record.run_pk not in dag.runs and all(run.pk != record.run_pk for run in dag.run_history):
        run = attach_run(engine_state, dag, record, rows)
        dag.runs.pop(run.pk, None)
        engine_state.runs.pop(run.pk, None)
        _remove_slot(run)


def keep_in_history(run: DagRun) -> None:
    """Insert the run into the history of its DAG, in order, if a task depends on the past."""
    if run.graph.depends_on_previous_run:
        _remove_from_history(run.dag, run.pk)
        bisect.insort(run.dag.run_history, run, key=lambda r: r.sort_key)


def _remove_from_history(dag: Dag, run_pk: int) -> None:
    if any(other.pk == run_pk for other in dag.run_history):
        dag.run_history[:] = [other for other in dag.run_history if other.pk != run_pk]


def build_task_instances(run: DagRun, rows: Iterable[TaskRecord]) -> None:
    graph = run.graph
    unmapped: dict[int, TaskInstance] = {}
    indexed_rows: dict[int, list[TaskRecord]] = {}
    for row in rows:
        index = graph.index_of_number.get(row.task_no)
        if index is None:
            run.removed_task_rows.setdefault(row.task_no, []).append(row)
        elif row.map_index >= 0:
            indexed_rows.setdefault(index, []).append(row)
        else:
            unmapped[index] = restore_task_instance(run, index, row)
    if graph.initial_tallies is not None and not unmapped and not indexed_rows and _has_all_tasks(run):
        run.task_instances = [{UNMAPPED: TaskInstance(run, i, UNMAPPED, task)} for i, task in enumerate(graph.tasks)]
        run.tallies = [Tally(total, setups) for total, setups in graph.initial_tallies]
        run.unfinished_count = len(graph.tasks)
        return
    run.task_instances = [
        {UNMAPPED: unmapped[i]}
        if i in unmapped
        else {UNMAPPED: TaskInstance(run, i, UNMAPPED, task)}
        if is_within_task_bounds(task, run.record)
        else {}
        for i, task in enumerate(graph.tasks)
    ]
    restore_expansions(run, indexed_rows)
    recount_tallies(run)


def _can_be_followed(run: DagRun) -> bool:
    """True for a run that has not started, has all tasks, and belongs to no backfill. What it waits for may still end it, with its tasks."""
    return run.record.state is DagRunState.QUEUED and run.backfill is None and _has_all_tasks(run)


def _follow_after_waits(follower: Follower, run: DagRun) -> None:
    """Let the tasks of a run that starts be followed, if it had to wait for other DAGs and none of them has a state."""
    if _can_be_followed(run) and all(ti.state is None for of_task in run.task_instances for ti in of_task.values()):
        run.follower = follower.take(run)
        if run.follower is not None:
            run.task_instances = []


def _has_all_tasks(run: DagRun) -> bool:
    """True for a run within the start and end of every task; False if each is to be asked."""
    at, (start, end) = run.record.logical_at, run.graph.bounds
    return at is None or start <= at <= end


def is_within_task_bounds(task: TaskSpec, run: RunRecord) -> bool:
    """False when the run's logical date lies outside the task's start and end (airflow-surface.md D.6)."""
    if run.logical_at is None:
        return True
    if task.start_at is not None and run.logical_at < task.start_at and run.run_type is not DagRunType.BACKFILL:
        return False
    return task.end_at is None or run.logical_at <= task.end_at


def start_queued_runs(context: StepContext, dag: Dag) -> None:
    """Start queued runs in order while the DAG has room, then those of its backfills; a run that is due later gets a timer."""
    if dag.hold_reason is not None:
        return
    _start_planned_runs(context, dag)
    for queue in dag.backfills.values():
        _start_backfill_runs(context, dag, queue)


def _start_backfill_runs(context: StepContext, dag: Dag, queue: BackfillQueue) -> None:
    """Start queued runs of one backfill while its own limit has room, or gets it from a later run."""
    while (
        queue.queued_runs and queue.record.hold_reason is None and (queue.has_room or dag.graph.depends_on_previous_run)
    ):
        run = dag.runs.get(abs(queue.queued_runs[0][1]))
        if (
            run is None
            or run.backfill is not queue
            or not _is_startable(run)
            or queue.key_of(run.record) != queue.queued_runs[0]
        ):
            heapq.heappop(queue.queued_runs)
            continue
        if _is_too_early(context, run):
            return
        while not queue.has_room:  # more than one gives way after the limit was lowered
            if not preempt_later_run(context, run):
                return
        heapq.heappop(queue.queued_runs)
        _start_run(context, run)


def _is_startable(run: DagRun) -> bool:
    return run.record.state is DagRunState.QUEUED and run.pk not in run.dag.runs_waiting_upstream


def _is_too_early(context: StepContext, run: DagRun) -> bool:
    """True, and a timer is set, for a run that is due later, or exceeds the bound of this step."""
    if run.record.run_after <= context.now and context.started_count < MAX_STARTED_PER_STEP:
        return False
    if not run.is_due_timer_set:
        run.is_due_timer_set = True
        context.engine_state.set_timer(max(run.record.run_after, context.now), run)
    return True


def _start_planned_runs(context: StepContext, dag: Dag) -> None:
    """Start queued runs of the DAG while its limit has room, or gets it from an earlier run that is cancelled or a later one that waits."""
    limit = active_runs_limit(dag)
    can_make_room = dag.graph.spec.overlap == "cancel_running" or dag.graph.depends_on_previous_run
    while dag.queued_runs and (dag.running_count < limit or can_make_room):
        run = dag.runs.get(dag.queued_runs[0][1])
        if run is None or run.backfill is not None or not _is_startable(run) or run.sort_key != dag.queued_runs[0]:
            heapq.heappop(dag.queued_runs)
            continue
        if _is_too_early(context, run):
            return
        _cancel_overlapped_runs(context, run)
        while dag.running_count >= limit:  # more than one gives way after the limit was lowered
            if not preempt_later_run(context, run):
                return
        heapq.heappop(dag.queued_runs)
        _start_run(context, run)


def _cancel_overlapped_runs(context: StepContext, run: DagRun) -> None:
    """With overlap="cancel_running", end the earlier running runs as failed when a scheduled run is due.

    A run with teardowns ends when these have ended. The decision depends on the stored queue of runs only, so it holds across restarts. A run that was cleared starts beside
    newer runs, also beside one that gave its place to it (`run_preemption.py`).
    """
    if run.graph.spec.overlap != "cancel_running" or run.record.run_type is not DagRunType.SCHEDULED:
        return
    stop = build_overlap_end(run.record.run_id)
    for other in sorted(run.dag.runs.values(), key=lambda other: other.sort_key):
        is_earlier = other.is_running and other.sort_key < run.sort_key and other.backfill is None
        if (
            not is_earlier
            or _has_restarted_since(other, run.record.queued_at)
            or parse_run_stop(other.record.reason) is not None
        ):
            continue
        if stop_run(context, other, stop, live=Cause.MARK_FAILED):
            end_run(context, other, stop.state, stop.reason, callback_reason=stop.callback_reason)


def _has_restarted_since(run: DagRun, at: Instant) -> bool:
    """True for a run that was cleared, and started at that instant or later."""
    return run.record.clear_number > 0 and run.record.started_at is not None and run.record.started_at >= at


def active_runs_limit(dag: Dag) -> int:
    """The most runs of the DAG that may be running at the same time."""
    spec = dag.graph.spec
    by_timetable = spec.timetable.active_runs_limit
    by_dag = UNBOUNDED if spec.overlap == "allow" else spec.max_active_runs
    return by_dag if by_timetable is None else min(by_dag, by_timetable)


def _start_run(context: StepContext, run: DagRun) -> None:
    follower = context.engine_state.follower
    if follower is not None and run.graph.edges:
        _follow_after_waits(follower, run)
    run.record.started_at = context.now
    run.record.version_pk = run.graph.version_pk
    if run.record.bundle_version is None and not run.graph.spec.disable_bundle_versioning:
        run.record.bundle_version = run.dag.record.bundle_version
    if parse_run_stop(run.record.reason) is None:
        run.record.reason = None
    context.set_run_state(run, DagRunState.RUNNING)
    run.dag.count_running(run, 1)
    context.started_count += len(run.task_instances)
    set_timeout_timer(context.engine_state, run)
    set_edge_timers(context.engine_state, run)
    set_deadline_timers(context.engine_state, run)
    _close_edges(context, run)
    context.add_audit_event("run_started", run=run)
    if run.follower is not None:
        context.result.followed_runs.append(run)
        return
    expand_literals(context, run)
    enqueue_run_start_callbacks(context, run)
    enqueue_run_evaluation(context, run)


def set_edge_timers(engine_state: EngineState, run: DagRun, not_before: Instant = 0) -> None:
    """Set timers for the ends of `max_wait` of the edges that the run, or its tasks, may wait for now."""
    for edge in run.edges.values():
        at = edge.expires_at(run.record)
        if at is not None and (edge.edge.task_id is None) == (run.record.state is DagRunState.QUEUED):
            engine_state.set_timer(max(at, not_before), run)


def _close_edges(context: StepContext, run: DagRun) -> None:
    """Close the open waits that the run no longer needs: all waits of a finished run, the run's own waits when it starts."""
    for edge in run.edges.values():
        if edge.edge.task_id is None or not run.is_running:
            unsubscribe(context, edge.waits.values())
            for wait in edge.open_waits():
                wait.state, wait.since = WaitState.CLOSED, context.now
                context.changes.run_waits[wait.down_run, wait.edge_no, wait.up_dag, wait.up_at] = wait


def set_timeout_timer(engine_state: EngineState, run: DagRun) -> None:
    """Set a timer for the end of the run's dagrun_timeout."""
    timeout_s = run.graph.spec.dagrun_timeout_s
    if timeout_s is not None and run.record.started_at is not None:
        engine_state.set_timer(_compute_timeout_at(run.record.started_at, timeout_s), run)


def _compute_timeout_at(started_at: Instant, timeout_s: float) -> Instant:
    return add_seconds(started_at, timeout_s)


def enqueue_run_evaluation(context: StepContext, run: DagRun) -> None:
    """Enqueue the evaluation of every task of a running run, and make loaded instances ready that were ready before."""
    waits_at_start, tallies = run.graph.waits_at_start, run.tallies
    for index, instances in enumerate(run.task_instances):
        if instances and not (waits_at_start[index] and tallies[index].is_untouched):
            context.enqueue_evaluation(run, index)
        for ti in list(instances.values()):
            if (
                not ti.is_queued
                and ti.attempt is None
                and (ti.state is S.SCHEDULED or (ti.state in WITHOUT_PROCESS_STATES and ti.is_resumption))
            ):
                make_ready(context, ti)
    if run.unfinished_count == 0:
        context.possibly_done_runs[run] = None


def end_run_if_done(context: StepContext, run: DagRun) -> None:
    """End a running run without unfinished task instances, or one of whose tasks a follower says that they have all succeeded."""
    if not run.is_running or run.dag.runs.get(run.pk) is not run or (run.unfinished_count and run.follower is None):
        return
    context.current_dag = run.dag
    if run.follower is not None:
        end_run(context, run, DagRunState.SUCCESS, None, callback_reason="success")
        return
    stop = parse_run_stop(run.record.reason)
    if stop is not None:
        end_run(context, run, stop.state, stop.reason, callback_reason=stop.callback_reason)
        return
    state = decide_run_outcome(ti.state for i in run.graph.leaves for ti in run.task_instances[i].values())
    if state is DagRunState.SUCCESS:
        end_run(context, run, state, None, callback_reason="success")
    else:
        end_run(context, run, state, _describe_failure(run), callback_reason="task_failure")


def _describe_failure(run: DagRun) -> str:
    """Why the run failed, from its failed leaves and the failed instances above them."""
    leaves = [
        (i, ti) for i in run.graph.leaves for ti in run.task_instances[i].values() if ti.state in FAILED_TASK_STATES
    ]
    above = _collect_upstream(run, {i for i, _ in leaves})
    causes = [ti for i in above for ti in run.task_instances[i].values() if ti.state is S.FAILED]
    return describe_run_failure(map(_describe_end, causes), [_describe_end(ti) for _, ti in leaves])


def _collect_upstream(run: DagRun, indexes: set[int]) -> list[int]:
    """These tasks and all above them, in the order of the graph; a task that waits for a setup has it above it."""
    collected, pending = set(indexes), list(indexes)
    while pending:
        index = pending.pop()
        above = {*run.graph.upstream[index], *run.graph.scope_upstream.get(index, ())} - collected
        collected |= above
        pending += above
    return sorted(collected)


def _describe_end(ti: TaskInstance) -> EndedInstance:
    return EndedInstance(ti.name(), ti.state, ti.reason, ti.ended_at)


def end_run(
    context: StepContext, run: DagRun, state: DagRunState, reason: str | None, *, callback_reason: str | None = None
) -> None:
    """Set the final state of the run; queued runs of its DAG may start, and its callbacks are queued.

    `callback_reason`: the `reason` of the context of callbacks; None: a user marked the run, which calls no callback of the DAG.
    """
    was_active = run.is_running
    run.record.ended_at = context.now
    run.record.reason = reason
    context.set_run_state(run, state)
    if was_active:
        run.dag.count_running(run, -1)
    run.dag.runs_waiting_upstream.pop(run.pk, None)
    _close_edges(context, run)
    if context.engine_state.subscriptions:
        notify_run_ended(context, run)
    context.add_audit_event("run_ended", run=run, body=state.value if reason is None else f"{state.value}: {reason}")
    prune_deadlines(context, run)
    enqueue_run_end_callbacks(context, run, callback_reason)
    record_run_failure(context, run, callback_reason)
    context.startable_dags[run.dag] = None
    context.result.plannable_dags.add(run.record.dag_pk)
    if state is DagRunState.FAILED and run.graph.spec.max_consecutive_failed_dag_runs > 0:
        context.result.failing_dags.add(run.record.dag_pk)


def on_run_timer(context: StepContext, run: DagRun) -> None:
    """A timer of the run fired: a queued run may start, a running run may have exceeded its dagrun_timeout."""
    if run.record.state is DagRunState.QUEUED:
        run.is_due_timer_set = False
        context.startable_dags[run.dag] = None
        return
    if run.dag.hold_reason is not None:
        return  # the timer is set again when the DAG is resumed
    timeout_s = run.graph.spec.dagrun_timeout_s
    if not run.is_running or timeout_s is None or run.record.started_at is None:
        return
    if _compute_timeout_at(run.record.started_at, timeout_s) > context.now:
        return
    reason = render(say("run_took_too_long", duration=timeout_s))
    stop_tasks(
        context, run, live=Cause.MARK_SKIPPED, waiting=Cause.MARK_SKIPPED, reason=reason
    )  # airflow-surface.md D.3
    end_run(context, run, DagRunState.FAILED, reason, callback_reason="timed_out")


def drop_ended_run(context: StepContext, run: DagRun) -> None:
    """Remove a finished run from memory; the history keeps it if a later run may depend on it."""
    if run.record.state in FINISHED_RUN_STATES and run.dag.runs.get(run.pk) is run:
        context.engine_state.runs.pop(run.pk, None)
        run.dag.runs.pop(run.pk, None)
        _remove_slot(run)
        prune_history(run.dag)
        _drop_ended_backfill(run)


def _drop_ended_backfill(run: DagRun) -> None:
    """Remove a backfill that had ended when this run was cleared, unless another of its runs is unfinished."""
    queue = run.backfill
    if (
        queue is not None
        and queue.record.is_ended
        and not any(other.backfill is queue for other in run.dag.runs.values())
    ):
        run.dag.backfills.pop(queue.record.backfill_pk, None)


def _remove_slot(run: DagRun) -> None:
    slot = run.record.slot_at
    if slot is not None and run.dag.by_slot.get(slot) is run:
        del run.dag.by_slot[slot]


def prune_history(dag: Dag) -> None:
    """Remove finished runs from the history, except those right before an unfinished run, and the newest."""
    newest = len(dag.run_history) - 1
    dag.run_history[:] = [
        run
        for i, run in enumerate(dag.run_history)
        if run.pk in dag.runs or i == newest or dag.run_history[i + 1].pk in dag.runs
    ]


def detach_run(engine_state: EngineState, dag: Dag, run_pk: int) -> None:
    """Remove a run from memory without a change to the store."""
    run = dag.runs.pop(run_pk, None)
    engine_state.runs.pop(run_pk, None)
    if run is None:
        return
    run.generation += 1
    dag.runs_waiting_upstream.pop(run.pk, None)
    _remove_slot(run)
    if run.is_running:
        dag.count_running(run, -1)
    for instances in run.task_instances:
        for ti in instances.values():
            dequeue(ti)
            if ti.attempt is not None:
                release(engine_state, ti)
    _remove_from_history(dag, run_pk)


def detach_dag(engine_state: EngineState, dag: Dag) -> None:
    """Remove a DAG and its runs from memory without a change to the store."""
    for run_pk in list(dag.runs):
        detach_run(engine_state, dag, run_pk)
    detach_callbacks(engine_state, dag)
    engine_state.dags.pop(dag.record.dag_pk, None)
    engine_state.raised_dags.discard(dag.record.dag_pk)
