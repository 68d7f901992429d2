"""What a live attempt holds: a place at every gate, slots of a pool, a slot of a worker. Taken and given back here alone."""

from __future__ import annotations

from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.limits import ConcurrencyLimit
from gnomon.engine.state.task_instance import TaskInstance
from gnomon.engine.step_context import StepContext
from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.records import AttemptRecord


def collect_limits(ti: TaskInstance) -> list[ConcurrencyLimit]:
    """Every limit on live task instances that holds for this cell, beyond its pool and its worker."""
    run, task = ti.run, ti.task
    gates = [run.active_tasks_limit]
    if task.max_active_tis_per_dag is not None:
        number = run.graph.numbers[ti.index]
        gate = run.dag.task_limits.get(number)
        if gate is None:
            gate = run.dag.task_limits[number] = ConcurrencyLimit(None, "")
        gate.limit = task.max_active_tis_per_dag
        gate.name = f"max_active_tis_per_dag={gate.limit} of task {task.task_id}"
        gates.append(gate)
    if task.max_active_tis_per_dagrun is not None:
        gate = run.task_limits.get(ti.index)
        if gate is None:
            name = f"max_active_tis_per_dagrun={task.max_active_tis_per_dagrun} of task {task.task_id}"
            gate = run.task_limits[ti.index] = ConcurrencyLimit(task.max_active_tis_per_dagrun, name)
        gates.append(gate)
    return gates


def find_reached_limit(ti: TaskInstance) -> ConcurrencyLimit | None:
    """The first limit that keeps the cell out, or None."""
    for gate in collect_limits(ti):
        if gate.is_reached:
            return gate
    return None


def acquire(memory: EngineState, ti: TaskInstance) -> None:
    """Count a cell with a live attempt at its gates, its pool and its worker."""
    assert ti.attempt is not None and ti.pool is not None
    memory.attempts[ti.attempt] = ti
    memory.live_attempt_count += 1
    acquire_limits(ti)
    worker = memory.workers.get(ti.worker or "")
    if worker is not None:
        worker.used_slots += 1
    memory.get_pool(ti.pool).used += ti.pool_slots


def release(memory: EngineState, ti: TaskInstance) -> None:
    """Count it no longer; whoever waits at a gate that this opens may come in."""
    assert ti.attempt is not None and ti.pool is not None
    memory.attempts.pop(ti.attempt, None)
    memory.live_attempt_count -= 1
    worker = memory.workers.get(ti.worker or "")
    if worker is not None:
        worker.used_slots -= 1
    memory.get_pool(ti.pool).used -= ti.pool_slots
    release_limits(ti)


def acquire_limits(ti: TaskInstance) -> None:
    """It counts at the limits that its task has now."""
    ti.limits = collect_limits(ti)
    for gate in ti.limits:
        gate.used += 1


def release_limits(ti: TaskInstance) -> None:
    """It counts at no limit."""
    gates, ti.limits = ti.limits, []
    for gate in gates:
        gate.release()


def release_attempt(context: StepContext, ti: TaskInstance, state: str, reason: str | None, exit_code: int | None = None) -> None:
    """The live attempt is over: it is recorded, and what it held is given back."""
    assert ti.attempt is not None and ti.pool is not None
    run = ti.run
    context.changes.attempts.append(
        AttemptRecord(
            run_pk=run.pk, task_no=run.graph.numbers[ti.index], map_index=ti.map_index, seq=ti.seq,
            attempt=ti.attempt, try_number=ti.try_number, kind="task", state=state, reason=reason,
            worker=ti.worker, started_at=ti.started_at, ended_at=ti.ended_at, exit_code=exit_code,
            log=build_attempt_log_path(run.dag.record.dag_id, run.record.run_id, ti.task.task_id, ti.map_index, ti.seq),
        )
    )
    release(context.state, ti)
    used = context.changes.pool_used
    used[ti.pool] = used.get(ti.pool, 0) - ti.pool_slots
    ti.attempt = ti.worker = None
    ti.entered = False
    context.mark_dirty(ti)
