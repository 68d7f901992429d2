"""Who gets a worker: pools in turn, best first within a pool, every limit a gate.

Fairness. Pools are asked one after the other, one task each, until nobody can take more; a full pool costs one look.
A task stopped by a limit waits at that gate and is looked at again when somebody leaves it, so that no admission reads a
queue it cannot serve (AIRFLOW_SURFACE.md D.5 and section I, 15).
"""

from __future__ import annotations

from collections import deque

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.cells import Cell, Run
from gnomon.engine.gates import Gate, key_of
from gnomon.engine.memory import Memory, Pool, Worker
from gnomon.engine.moves import withdraw
from gnomon.engine.turn import Turn
from gnomon.model.facts import Attempt, RunFacts
from gnomon.model.logs import attempt_log
from gnomon.model.records import AttemptRecord
from gnomon.model.states import TaskInstanceState as S


LOOKED_FURTHER_S = 300.0
"""A file that read a Variable, the environment or the network is imported anew after so long (DESIGN.md section 4)."""


def admit(turn: Turn) -> None:
    """Give workers and pool slots to ready cells, at most `per_admission` of them; `turn.again` when more could follow."""
    memory = turn.memory
    budget = memory.limits.per_admission
    pools = deque(pool for _, pool in sorted(memory.pools.items()) if pool.ready)
    while pools:
        worker = free_worker(memory)
        if worker is None:
            return
        pool = pools.popleft()
        cell = _next_admissible(turn, pool)
        if cell is None:
            continue
        if budget == 0:
            turn.again = True
            return
        budget -= 1
        _enter(turn, cell, pool, worker)
        pools.append(pool)


def free_worker(memory: Memory) -> Worker | None:
    """The reachable worker with the most free slots, or None when nobody may take another attempt."""
    parallelism = memory.limits.parallelism
    if parallelism is not None and memory.live >= parallelism:
        return None
    best: Worker | None = None
    for worker in memory.workers.values():
        if worker.reachable and worker.used < worker.slots and (
            best is None or (worker.slots - worker.used, worker.worker_id) > (best.slots - best.used, best.worker_id)
        ):
            best = worker
    return best


def _next_admissible(turn: Turn, pool: Pool) -> Cell | None:
    while (cell := pool.best()) is not None:
        if cell.run.dag.held is not None:
            withdraw(cell)
            cell.ready = True
            cell.run.dag.parked.append(cell)
            continue
        gate = closed_gate(cell)
        if gate is not None:
            withdraw(cell)
            cell.ready = True
            gate.park(key_of(cell), cell)
            continue
        return cell if pool.has_room(cell.pool_slots) else None
    return None


def gates_of(cell: Cell) -> list[Gate]:
    """Every limit on live task instances that holds for this cell, beyond its pool and its worker."""
    run, task = cell.run, cell.task
    gates = [run.gate]
    if task.max_active_tis_per_dag is not None:
        number = run.graph.numbers[cell.index]
        gate = run.dag.task_gates.get(number)
        if gate is None:
            gate = run.dag.task_gates[number] = Gate(None, "")
        gate.limit = task.max_active_tis_per_dag
        gate.name = f"max_active_tis_per_dag={gate.limit} of task {task.task_id}"
        gates.append(gate)
    if task.max_active_tis_per_dagrun is not None:
        gate = run.task_gates.get(cell.index)
        if gate is None:
            name = f"max_active_tis_per_dagrun={task.max_active_tis_per_dagrun} of task {task.task_id}"
            gate = run.task_gates[cell.index] = Gate(task.max_active_tis_per_dagrun, name)
        gates.append(gate)
    return gates


def closed_gate(cell: Cell) -> Gate | None:
    """The first limit that keeps the cell out, or None."""
    for gate in gates_of(cell):
        if gate.closed:
            return gate
    return None


def _enter(turn: Turn, cell: Cell, pool: Pool, worker: Worker) -> None:
    """Make an attempt of the cell on this worker."""
    withdraw(cell)
    if cell.state is not S.UP_FOR_RESCHEDULE:
        cell.try_number += 1
    cell.state = next_state(cell.state, Cause.ADMIT)
    cell.seq += 1
    cell.attempt = turn.new_id()
    cell.worker = worker.worker_id
    cell.entered = False
    cell.reason = cell.resume_at = cell.started_at = cell.ended_at = None
    if cell.seq > 1:
        turn.changes.xcom_clears.append(cell.record().key)
    hold(turn.memory, cell)
    turn.changes.pool_used[pool.name] = turn.changes.pool_used.get(pool.name, 0) + cell.pool_slots
    turn.placed.pop(cell, None)
    turn.touch(cell)
    turn.step.submits.setdefault(worker.worker_id, []).append(attempt_of(turn.memory, cell))


def hold(memory: Memory, cell: Cell) -> None:
    """Count a cell with a live attempt at its gates, its pool and its worker."""
    assert cell.attempt is not None and cell.pool is not None
    memory.attempts[cell.attempt] = cell
    memory.live += 1
    for gate in gates_of(cell):
        gate.inside += 1
    worker = memory.workers.get(cell.worker or "")
    if worker is not None:
        worker.used += 1
    memory.pool(cell.pool).used += cell.pool_slots


def leave(turn: Turn, cell: Cell, state: str, reason: str | None, exit_code: int | None = None) -> None:
    """The live attempt is over: record it, give back what it held, let one waiting cell per gate try again."""
    memory = turn.memory
    assert cell.attempt is not None and cell.pool is not None
    run = cell.run
    turn.changes.attempts.append(
        AttemptRecord(
            run_pk=run.pk, task_no=run.graph.numbers[cell.index], map_index=cell.map_index, seq=cell.seq,
            attempt=cell.attempt, try_number=cell.try_number, kind="task", state=state, reason=reason,
            worker=cell.worker, started_at=cell.started_at, ended_at=cell.ended_at, exit_code=exit_code,
            log=attempt_log(run.dag.record.dag_id, run.record.run_id, cell.task.task_id, cell.map_index, cell.seq),
        )
    )
    memory.attempts.pop(cell.attempt, None)
    memory.live -= 1
    worker = memory.workers.get(cell.worker or "")
    if worker is not None:
        worker.used -= 1
    pool = memory.pool(cell.pool)
    pool.used -= cell.pool_slots
    turn.changes.pool_used[pool.name] = turn.changes.pool_used.get(pool.name, 0) - cell.pool_slots
    for gate in gates_of(cell):
        gate.inside -= 1
        waiting = gate.release()
        if waiting is not None:
            memory.pool(waiting.pool or waiting.task.pool).push(waiting)
    cell.attempt = cell.worker = None
    cell.entered = False
    turn.touch(cell)


def attempt_of(memory: Memory, cell: Cell) -> Attempt:
    """What a worker is told to run."""
    run, task = cell.run, cell.task
    dag = run.dag.record
    assert cell.attempt is not None
    return Attempt(
        attempt_id=cell.attempt, group_no=dag.group_no, epoch=memory.epochs.get(dag.group_no, 0), run=_facts(run),
        task_id=task.task_id, task_no=run.graph.numbers[cell.index], map_index=cell.map_index,
        try_number=cell.try_number, max_tries=cell.max_tries, seq=cell.seq, file=dag.file, input_hash=dag.input_hash,
        fresh=dag.fresh is not None or run.graph.spec.fresh_import, attempts_per_child=run.graph.spec.attempts_per_child,
        timeout_s=task.execution_timeout_s, zygote_max_age_s=LOOKED_FURTHER_S if dag.looked_further else None,
        log=attempt_log(dag.dag_id, run.record.run_id, task.task_id, cell.map_index, cell.seq),
    )


def _facts(run: Run) -> RunFacts:
    if run.facts is None:
        record = run.record
        run.facts = RunFacts(
            run_pk=run.pk, dag_id=run.dag.record.dag_id, run_id=record.run_id, run_type=record.run_type.value,
            run_after=record.run_after, logical_at=record.logical_at, interval_start=record.interval_start,
            interval_end=record.interval_end, queued_at=record.queued_at, started_at=record.started_at,
            state=record.state.value, conf=record.conf, clear_number=record.clear_number,
        )
    return run.facts
