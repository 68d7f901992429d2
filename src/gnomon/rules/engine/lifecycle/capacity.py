"""What a live attempt uses: slots of its pool, a slot of its worker, a place of each limit. Only this module counts them."""

from __future__ import annotations

from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.records import AttemptRecord
from gnomon.model.sentences import render, say
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.limits import ConcurrencyLimit, ExecutorLimit
from gnomon.rules.engine.state.task_instance import TaskInstance
from gnomon.rules.engine.step_context import StepContext


def collect_limits(ti: TaskInstance) -> list[ConcurrencyLimit]:
    """The concurrency limits of the instance, beyond its pool and its worker."""
    run, task = ti.run, ti.task
    limits = [run.active_tasks_limit]
    if task.max_active_tis_per_dag is not None:
        number = run.graph.numbers[ti.index]
        limit = run.dag.task_limits.get(number)
        if limit is None:
            limit = run.dag.task_limits[number] = ConcurrencyLimit(None, "")
        if limit.limit != task.max_active_tis_per_dag:
            limit.limit = task.max_active_tis_per_dag
            limit.name = _name_limit(f"max_active_tis_per_dag={limit.limit}", task.task_id)
        limits.append(limit)
    if task.max_active_tis_per_dagrun is not None:
        limit = run.task_limits.get(ti.index)
        if limit is None:
            name = _name_limit(f"max_active_tis_per_dagrun={task.max_active_tis_per_dagrun}", task.task_id)
            limit = run.task_limits[ti.index] = ConcurrencyLimit(task.max_active_tis_per_dagrun, name)
        limits.append(limit)
    return limits


def _name_limit(limit: str, task_id: str) -> str:
    return render(say("limit_of_task", limit=limit, task_id=task_id))


def find_reached_limit(ti: TaskInstance) -> ConcurrencyLimit | None:
    """The first reached limit of the instance; None when all have room."""
    task = ti.task
    if task.max_active_tis_per_dag is None and task.max_active_tis_per_dagrun is None:
        limit = ti.run.active_tasks_limit
        return limit if limit.is_reached else None
    for limit in collect_limits(ti):
        if limit.is_reached:
            return limit
    return None


def find_full_executor(engine_state: EngineState, ti: TaskInstance) -> ExecutorLimit | None:
    """The limit of the instance's executor, when no worker of it has a free slot or no such executor is configured; None when one has.

    A task that starts from its trigger needs no worker. Without a choice of executors, who looks for a free worker has the answer.
    """
    executors = engine_state.limits.executors
    if executors is None or ti.starts_deferred or not executors.is_a_choice(named := ti.executor):
        return None
    limit = engine_state.get_executor_limit(executors.find(named) or named or "")
    return limit if limit.is_reached else None


def acquire(engine_state: EngineState, ti: TaskInstance) -> None:
    """Count the live attempt of the instance at its limits, its pool and its worker."""
    assert ti.attempt is not None and ti.pool is not None
    engine_state.attempts[ti.attempt] = ti
    engine_state.live_attempt_count += 1
    acquire_limits(ti)
    worker = engine_state.workers.get(ti.worker or "")
    if worker is not None:
        worker.used_slots += 1
    engine_state.get_pool(ti.pool).used += ti.pool_slots


def release(engine_state: EngineState, ti: TaskInstance) -> None:
    """Stop counting the live attempt; instances that wait for a limit which is free now can be admitted."""
    assert ti.attempt is not None and ti.pool is not None
    engine_state.attempts.pop(ti.attempt, None)
    engine_state.live_attempt_count -= 1
    worker = engine_state.workers.get(ti.worker or "")
    if worker is not None:
        worker.used_slots -= 1
        if engine_state.executor_limits:
            engine_state.offer_slots(worker)
    engine_state.get_pool(ti.pool).used -= ti.pool_slots
    release_limits(ti)


def acquire_limits(ti: TaskInstance) -> None:
    """Count the instance at the limits that its task has now."""
    ti.limits = collect_limits(ti)
    for limit in ti.limits:
        limit.used += 1


def release_limits(ti: TaskInstance) -> None:
    """Stop counting the instance at its limits."""
    limits, ti.limits = ti.limits, []
    for limit in limits:
        limit.release()


def release_attempt(
    context: StepContext,
    ti: TaskInstance,
    state: str,
    reason: str | None,
    exit_code: int | None = None,
    sender: str | None = None,
) -> None:
    """Record the end of the live attempt and release what it used. `state`: the outcome, as the record stores it.

    `sender`: the worker that ran it, if that is not the one that stands for its executor.
    """
    assert ti.attempt is not None and ti.pool is not None
    if context.keeps_rows:
        context.changes.attempts.append(_build_record(ti, state, reason, exit_code, sender))
    release(context.engine_state, ti)
    if context.keeps_rows:
        used = context.changes.pool_used
        used[ti.pool] = used.get(ti.pool, 0) - ti.pool_slots
    ti.attempt = ti.worker = None
    ti.entered = False
    context.mark_dirty(ti)


def _build_record(
    ti: TaskInstance, state: str, reason: str | None, exit_code: int | None, sender: str | None
) -> AttemptRecord:
    run = ti.run
    return AttemptRecord(
        run_pk=run.pk,
        task_no=run.graph.numbers[ti.index],
        map_index=ti.map_index,
        seq=ti.seq,
        attempt=ti.attempt or "",
        try_number=ti.try_number,
        kind="task",
        state=state,
        reason=reason,
        worker=sender or ti.worker,
        started_at=ti.started_at,
        ended_at=ti.ended_at,
        exit_code=exit_code,
        log=build_attempt_log_path(run.dag.record.dag_id, run.record.run_id, ti.task.task_id, ti.map_index, ti.seq),
    )
