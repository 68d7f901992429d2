"""Who gets a worker: pools in turn, best first within a pool, every limit a gate.

Fairness. Pools are asked one after the other, one task each, until nobody can take more; a full pool costs one look.
A task stopped by a limit waits at that gate and is looked at again when somebody leaves it, so that no admission reads a
queue it cannot serve (airflow-surface.md D.5 and section I, 15).
"""

from __future__ import annotations

from collections import deque

from gnomon.decide.transitions import Cause
from gnomon.engine import lifecycle
from gnomon.engine.admission.capacity import acquire, find_reached_limit, release
from gnomon.engine.lifecycle.deferrals import compute_deadline, undo_deferral
from gnomon.engine.lifecycle.task_lifecycle import start_deferred
from gnomon.engine.state.engine_state import EngineState, WorkerCapacity
from gnomon.engine.state.limits import LimitQueue, Pool
from gnomon.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.engine.state.queue_state import QueueCause
from gnomon.engine.state.task_instance import DagRun, TaskInstance
from gnomon.engine.step_context import Admission, StepContext, StepResult
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, build_attempt_log_path
from gnomon.model.deferral import Resumption
from gnomon.model.records import Changes
from gnomon.model.states import TaskInstanceState as S

VOLATILE_IMPORT_MAX_AGE_S = 300.0
"""A file that read a Variable, the environment or the network is imported anew after so long."""


def admit_ready(context: StepContext) -> None:
    """Give workers and pool slots to ready cells, at most `max_admissions_per_step` of them; `turn.again` when more could follow."""
    engine_state = context.state
    budget = engine_state.limits.max_admissions_per_step
    pools = deque(pool for _, pool in sorted(engine_state.pools.items()) if pool.ready_queue)
    while pools:
        worker = find_free_worker(engine_state)
        if worker is None:
            return
        pool = pools.popleft()
        ti = _find_next_admissible(pool)
        if ti is None:
            continue
        if budget == 0:
            context.has_more_work = True
            return
        budget -= 1
        _admit_one(context, ti, pool, worker)
        pools.append(pool)


def find_free_worker(engine_state: EngineState) -> WorkerCapacity | None:
    """The reachable worker with the most free slots, or None when nobody may take another attempt."""
    parallelism = engine_state.limits.parallelism
    if parallelism is not None and engine_state.live_attempt_count >= parallelism:
        return None
    best: WorkerCapacity | None = None
    for worker in engine_state.workers.values():
        if worker.is_reachable and worker.used_slots < worker.slots and (
            best is None or (worker.slots - worker.used_slots, worker.worker_id) > (best.slots - best.used_slots, best.worker_id)
        ):
            best = worker
    return best


def _find_next_admissible(pool: Pool) -> TaskInstance | None:
    while (ti := _find_first_queued(pool)) is not None:
        if ti.run.dag.hold_reason is not None:
            move_in_queue(ti, QueueCause.DAG_HELD)
        elif pool.is_too_small(ti.pool_slots):
            move_in_queue(ti, QueueCause.POOL_TOO_SMALL, pool)
        elif (limit := find_reached_limit(ti)) is not None:
            move_in_queue(ti, QueueCause.LIMIT_REACHED, pool, limit)
        else:
            return ti if pool.has_room(ti.pool_slots) else None
    return None


def _find_first_queued(pool: Pool) -> TaskInstance | None:
    """The cell whose turn it is: itself in the queue, or the best of a lane that stands there."""
    while (found := pool.ready_queue.peek()) is not None:
        if isinstance(found, TaskInstance):
            return found
        assert isinstance(found, LimitQueue)
        if found.task_instances.peek_key() == found.queued_key and not found.limit.is_reached:
            first = found.task_instances.peek()
            assert isinstance(first, TaskInstance)
            return first
        found.leave_pool_queue()
        if not found.limit.is_reached:
            found.join_pool_queue()
    return None


def _admit_one(context: StepContext, ti: TaskInstance, pool: Pool, worker: WorkerCapacity) -> None:
    """Make an attempt of the cell on this worker; who starts from its trigger takes its slots alone."""
    context.current_dag = ti.run.dag
    before = (ti.state, ti.try_number, ti.reason, ti.resume_at, ti.started_at)
    deleted_results = start_deferred(context, ti) if ti.starts_deferred else _begin_attempt(context, ti, pool, worker)
    context.result.admissions.append(Admission(ti, *before, deleted_results))


def _begin_attempt(context: StepContext, ti: TaskInstance, pool: Pool, worker: WorkerCapacity) -> list[AttemptResult] | None:
    """Returns what `delete_xcoms` returned; None when there was no earlier attempt, or this one goes on after a wait."""
    dequeue(ti)
    resumes = ti.is_resumption
    if ti.state is not S.UP_FOR_RESCHEDULE and not resumes:
        ti.try_number += 1
    lifecycle.apply(ti, Cause.ADMIT)
    ti.seq += 1
    ti.attempt = context.new_id()
    ti.worker = worker.worker_id
    ti.entered = False
    ti.reason = ti.resume_at = ti.ended_at = None
    if not resumes:
        ti.started_at = None
    deleted_results = context.delete_xcoms(ti) if ti.seq > 1 and not resumes else None
    acquire(context.state, ti)
    context.changes.pool_used[pool.name] = context.changes.pool_used.get(pool.name, 0) + ti.pool_slots
    context.newly_ready.pop(ti, None)
    context.mark_dirty(ti)
    context.result.submits.setdefault(worker.worker_id, []).append(build_attempt(context.state, ti))
    return deleted_results


def retract_admissions(engine_state: EngineState, result: StepResult, pool_name: str) -> bool:
    """The step no longer admits anything to this pool; False when it did not.

    For a pool whose slots another scheduler has taken meanwhile: nothing else of a step rests on its admissions, so the
    rest may be written as it is. The pool counts as full here until it is read again.
    """
    refused = [admitted for admitted in result.admissions if _uses_pool(pool_name, admitted.task_instance)]
    if not refused:
        return False
    changes = result.changes
    result.admissions = [admitted for admitted in result.admissions if not _uses_pool(pool_name, admitted.task_instance)]
    gone = {admitted.task_instance.attempt for admitted in refused}
    for worker_id, attempts in list(result.submits.items()):
        result.submits[worker_id] = [attempt for attempt in attempts if attempt.attempt_id not in gone]
    changes.pool_used[pool_name] -= sum(admitted.task_instance.pool_slots for admitted in refused)
    for admitted in refused:
        _undo_admission(engine_state, changes, admitted)
    rows = {admitted.task_instance.key(): admitted.task_instance.to_record() for admitted in refused}
    changes.tasks = [rows.get(row.key, row) for row in changes.tasks]
    pool = engine_state.get_pool(pool_name)
    if pool.slots is not None:
        pool.used = max(pool.used, pool.slots)
    return True


def _uses_pool(pool_name: str, ti: TaskInstance) -> bool:
    """Whether its attempt, or the wait that it began with, has slots of that pool."""
    return ti.pool == pool_name and (ti.has_attempt or (ti.deferral is not None and ti.deferral.held_slots > 0))


def _undo_admission(engine_state: EngineState, changes: Changes, admitted: Admission) -> None:
    ti = admitted.task_instance
    if ti.has_attempt:
        release(engine_state, ti)
        ti.attempt = ti.worker = None
        ti.seq -= 1
    else:
        undo_deferral(engine_state, changes, ti)
    ti.try_number, ti.reason, ti.resume_at = admitted.try_number, admitted.reason, admitted.resume_at
    ti.started_at = admitted.started_at
    if admitted.xcoms is not None:
        changes.xcom_clears.remove(ti.key())  # once: what a clear deletes in the same step stays deleted
        changes.results += admitted.xcoms
    lifecycle.revert(ti, admitted.state)
    if admitted.state in (None, S.DEFERRED):
        lifecycle.apply(ti, Cause.WAIT)
    move_in_queue(ti, QueueCause.BECOME_READY, engine_state.get_pool(ti.pool or ti.task.pool))


def build_attempt(engine_state: EngineState, ti: TaskInstance) -> Attempt:
    """What a worker is told to run."""
    run, task = ti.run, ti.task
    dag = run.dag.record
    assert ti.attempt is not None
    return Attempt(
        attempt_id=ti.attempt, group_no=dag.group_no, epoch=engine_state.epochs.get(dag.group_no, 0), run=_build_run_facts(run),
        task_id=task.task_id, task_no=run.graph.numbers[ti.index], map_index=ti.map_index,
        try_number=ti.try_number, max_tries=ti.max_tries, seq=ti.seq, file=dag.file, input_hash=dag.input_hash,
        fresh=dag.fresh is not None or run.graph.spec.fresh_import, attempts_per_child=run.graph.spec.attempts_per_child,
        timeout_s=task.execution_timeout_s, zygote_max_age_s=VOLATILE_IMPORT_MAX_AGE_S if dag.looked_further else None,
        log=build_attempt_log_path(dag.dag_id, run.record.run_id, task.task_id, ti.map_index, ti.seq),
        resume=_build_resumption(ti), started_at=ti.started_at if ti.is_resumption else None,
        deadline_at=compute_deadline(ti) if ti.continues_in_operator else None,
    )


def _build_resumption(ti: TaskInstance) -> Resumption | None:
    deferral = ti.deferral
    if deferral is None or deferral.result is None:
        return None
    return Resumption(next_method=deferral.request.next_method or "", next_kwargs=deferral.request.next_kwargs, fired=deferral.result)


def _build_run_facts(run: DagRun) -> RunFacts:
    if run.facts is None:
        record = run.record
        run.facts = RunFacts(
            run_pk=run.pk, dag_id=run.dag.record.dag_id, run_id=record.run_id, run_type=record.run_type.value,
            run_after=record.run_after, logical_at=record.logical_at, interval_start=record.interval_start,
            interval_end=record.interval_end, queued_at=record.queued_at, started_at=record.started_at,
            state=record.state.value, conf=record.conf, clear_number=record.clear_number,
        )
    return run.facts
