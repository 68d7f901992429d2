"""A run follows the newest version of its DAG: its cells move to the new graph by task id."""

from __future__ import annotations

import heapq

from gnomon.decide.transitions import Cause
from gnomon.engine.cells import Cell, Dag, Run
from gnomon.engine.gates import Gate
from gnomon.engine.graph import Graph
from gnomon.engine.moves import is_finished, withdraw
from gnomon.engine.runs import belongs, judge_all, stop, tally_up
from gnomon.engine.turn import Turn
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import DagRecord


def read_dag(turn: Turn, record: DagRecord) -> None:
    """The DAG is as the store has it now: a new one, a new version, paused, unpaused or gone from its file."""
    memory = turn.memory
    dag = memory.dags.get(record.dag_pk)
    turn.step.plannable.add(record.dag_pk)
    if dag is None:
        memory.dags[record.dag_pk] = Dag(record)
        return
    was_held = dag.held
    changed = record.version_pk != dag.record.version_pk
    dag.record = record
    if changed:
        dag.graph = Graph(record.spec, record.version_pk, record.task_numbers)
        for run in list(dag.runs.values()):
            rebase(turn, run, dag.graph)
    if was_held is not None and dag.held is None:
        parked, dag.parked = dag.parked, []
        for cell in parked:
            if cell.ready:
                memory.pool(cell.pool or cell.task.pool).push(cell)
    turn.startable[dag] = None


def rebase(turn: Turn, run: Run, graph: Graph) -> None:
    """Move an unfinished run to `graph`: tasks that left are removed, new ones begin, tallies are counted anew."""
    for cells in run.cells:
        for cell in cells.values():
            if cell.task.task_id not in graph.index and not is_finished(cell) and (cell.live or cell.written):
                stop(turn, cell, Cause.REMOVE, "the task is no longer in the DAG")
    old_cells = {cell.task.task_id: cells for cells in run.cells for cell in cells.values()}
    gone = [cell for task_id, cells in old_cells.items() if task_id not in graph.index for cell in cells.values()]
    for cell in gone:
        withdraw(cell)
        _write_removed(turn, cell)
    old_graph, run.graph = run.graph, graph
    limit = graph.spec.max_active_tasks
    _move_waiting(turn, run)
    inside = run.gate.inside
    run.gate = Gate(limit, f"max_active_tasks={limit} of the run")
    run.gate.inside = inside
    run.task_gates = {}
    run.cells = []
    for i, task in enumerate(graph.tasks):
        found = old_cells.get(task.task_id)
        if found is None:
            found = {UNMAPPED: Cell(run, i, UNMAPPED, task)} if belongs(task, run.record) else {}
        for cell in found.values():
            _move(cell, i, task.effective_priority, task.pool_slots, task.retries)
        run.cells.append(found)
    tally_up(run)
    run.record.version_pk = graph.version_pk
    if old_graph.version_pk != graph.version_pk:
        turn.touch_run(run)
    if run.active:
        judge_all(turn, run)


def _write_removed(turn: Turn, cell: Cell) -> None:
    """The row of a removed cell is written under the numbers that it had: it is not in the new graph."""
    if cell in turn.dirty:
        del turn.dirty[cell]
        turn.changes.tasks.append(cell.record())


def _move_waiting(turn: Turn, run: Run) -> None:
    """Cells that wait at a gate of the old version go back to their pools."""
    for gate in (run.gate, *run.task_gates.values()):
        while (cell := gate.release()) is not None:
            turn.memory.pool(cell.pool or cell.task.pool).push(cell)
            heapq.heapify(turn.memory.pool(cell.pool or cell.task.pool).ready)


def _move(cell: Cell, index: int, priority: int, pool_slots: int, retries: int) -> None:
    cell.index = index
    if cell.attempt is None:
        cell.priority, cell.pool_slots = priority, pool_slots
    if cell.try_number == 0:
        cell.max_tries = retries


def forget_dag(turn: Turn, dag_pk: int) -> None:
    """The DAG was deleted from the store."""
    dag = turn.memory.dags.pop(dag_pk, None)
    if dag is not None:
        for run in list(dag.runs.values()):
            turn.memory.runs.pop(run.pk, None)


