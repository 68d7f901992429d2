"""What a live attempt holds: a place at every gate, slots of a pool, a slot of a worker. Taken and given back here alone."""

from __future__ import annotations

from gnomon.engine.cells import Cell
from gnomon.engine.gates import Gate
from gnomon.engine.memory import Memory
from gnomon.engine.turn import Turn
from gnomon.model.logs import attempt_log
from gnomon.model.records import AttemptRecord


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


def hold(memory: Memory, cell: Cell) -> None:
    """Count a cell with a live attempt at its gates, its pool and its worker."""
    assert cell.attempt is not None and cell.pool is not None
    memory.attempts[cell.attempt] = cell
    memory.live += 1
    enter_gates(cell)
    worker = memory.workers.get(cell.worker or "")
    if worker is not None:
        worker.used += 1
    memory.pool(cell.pool).used += cell.pool_slots


def let_go(memory: Memory, cell: Cell) -> None:
    """Count it no longer; whoever waits at a gate that this opens may come in."""
    assert cell.attempt is not None and cell.pool is not None
    memory.attempts.pop(cell.attempt, None)
    memory.live -= 1
    worker = memory.workers.get(cell.worker or "")
    if worker is not None:
        worker.used -= 1
    memory.pool(cell.pool).used -= cell.pool_slots
    leave_gates(cell)


def enter_gates(cell: Cell) -> None:
    """It counts at the limits that its task has now."""
    cell.gates = gates_of(cell)
    for gate in cell.gates:
        gate.inside += 1


def leave_gates(cell: Cell) -> None:
    """It counts at no limit."""
    gates, cell.gates = cell.gates, []
    for gate in gates:
        gate.let_out()


def leave(turn: Turn, cell: Cell, state: str, reason: str | None, exit_code: int | None = None) -> None:
    """The live attempt is over: it is recorded, and what it held is given back."""
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
    let_go(turn.memory, cell)
    used = turn.changes.pool_used
    used[cell.pool] = used.get(cell.pool, 0) - cell.pool_slots
    cell.attempt = cell.worker = None
    cell.entered = False
    turn.touch(cell)
