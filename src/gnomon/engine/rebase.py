"""A run follows the newest version of its DAG: its cells move to the new graph by task id."""

from __future__ import annotations

from collections import deque

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.asked import dag_changed, dag_gone
from gnomon.engine.cells import Cell, Dag, Run, run_gate
from gnomon.engine.depending import follow
from gnomon.engine.graph import Graph
from gnomon.engine.holding import enter_gates, leave_gates
from gnomon.engine.moves import is_finished, make_ready, withdraw
from gnomon.engine.runs import arm_timeout, belongs, cell_of_row, forget, judge_all, remember, stop, tally_up
from gnomon.engine.turn import CancelOrder, Turn
from gnomon.engine.waits import arm, drop_wait
from gnomon.model.ids import UNMAPPED
from gnomon.model.logs import attempt_log
from gnomon.model.records import AttemptRecord, DagRecord, TaskRecord
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S


def read_dag(turn: Turn, record: DagRecord) -> None:
    """The DAG is as the store has it now: a new one, a new version, paused, unpaused or gone from its file."""
    memory = turn.memory
    dag = memory.dags.get(record.dag_pk)
    turn.step.plannable.add(record.dag_pk)
    if dag is None:
        dag_changed(turn, memory.add_dag(record), None)
        return
    turn.subject = dag
    was_held, before = dag.held, dag.record
    changed = record.version_pk != dag.record.version_pk
    dag.record = record
    if changed:
        _follow(turn, dag, Graph(record.spec, record.version_pk, record.task_numbers))
    if was_held is not None and dag.held is None:
        _let_go_on(turn, dag)
    dag_changed(turn, dag, None if dag.as_loaded else before)
    dag.as_loaded = False
    turn.startable[dag] = None


def _let_go_on(turn: Turn, dag: Dag) -> None:
    """The DAG is held no longer: what was parked stands in its pools again, and times that passed are looked at."""
    parked, dag.parked = dag.parked, []
    for ticket, cell in parked:
        if cell.ticket == ticket and cell.begins_waiting:
            make_ready(turn, cell)
        elif cell.ticket == ticket:
            turn.memory.pool(cell.pool or cell.task.pool).push(cell)
    for run in dag.runs.values():
        if run.active:
            arm_timeout(turn.memory, run)
        for cells in run.cells:
            for cell in cells.values():
                if cell.state is S.DEFERRED:
                    arm(turn.memory, cell)


def _follow(turn: Turn, dag: Dag, graph: Graph) -> None:
    """All unfinished runs move to `graph`, and the limits of tasks with them."""
    dag.graph = graph
    live = [cell for run in dag.runs.values() for cells in run.cells for cell in cells.values() if cell.live]
    for cell in live:
        leave_gates(cell)
    dag.task_gates = {}
    for run in list(dag.runs.values()):
        rebase(turn, run, graph)
    for cell in live:
        if cell.live:
            enter_gates(cell)
    if not graph.uses_past:
        dag.past = []


def rebase(turn: Turn, run: Run, graph: Graph) -> None:
    """Move an unfinished run to `graph`: tasks that left are removed, new ones begin, tallies are counted anew."""
    old = {cell.task.task_id: cells for cells in run.cells for cell in cells.values()}
    waiting = [cell for cells in old.values() for cell in cells.values() if cell.ready]
    stay = [cell for cell in waiting if cell.task.task_id in graph.index]
    for cell in waiting:
        withdraw(cell)
    for task_id, cells in old.items():
        if task_id not in graph.index:
            _remove(turn, run, list(cells.values()))
    turn.work = deque(entry for entry in turn.work if entry[0] is not run)
    changed = run.graph.version_pk != graph.version_pk
    run.graph = graph
    run.gate, run.task_gates = run_gate(graph), {}
    run.cells = [_cells_at(turn, run, i, old.get(task.task_id)) for i, task in enumerate(graph.tasks)]
    tally_up(run)
    remember(run)
    run.record.version_pk = graph.version_pk
    if changed:
        turn.touch_run(run)
    for cell in stay:
        make_ready(turn, cell)
    for cells in run.cells:
        for cell in cells.values():
            if cell.state is S.DEFERRED:
                arm(turn.memory, cell)
    if run.active:
        arm_timeout(turn.memory, run)
        judge_all(turn, run)
    follow(turn, run)


def _remove(turn: Turn, run: Run, cells: list[Cell]) -> None:
    """The task left: what is unfinished of it ends here; the rows are kept, for it may come back."""
    for cell in cells:
        if not is_finished(cell) and (cell.live or cell.written):
            stop(turn, cell, Cause.REMOVE, _GONE)
        turn.placed.pop(cell, None)
        row = cell.record()
        if turn.dirty.pop(cell, 0) is None:
            turn.changes.tasks.append(row)
            cell.written = True
        if cell.written:
            run.gone.setdefault(row.task_no, []).append(row)


def _cells_at(turn: Turn, run: Run, index: int, found: dict[int, Cell] | None) -> dict[int, Cell]:
    """The cells of a task of the new graph: those that it had, those of a task that came back, or a new one."""
    task = run.graph.tasks[index]
    if found is None:
        rows = run.gone.pop(run.graph.numbers[index], None)
        if rows is not None:
            return {row.map_index: _back(turn, run, index, row) for row in rows}
        return {UNMAPPED: Cell(run, index, UNMAPPED, task)} if belongs(task, run.record) else {}
    for cell in found.values():
        cell.index = index
        if cell.attempt is None:
            cell.priority, cell.pool_slots = task.effective_priority, task.pool_slots
        if cell.try_number == 0:
            cell.max_tries = task.retries
    return found


def _back(turn: Turn, run: Run, index: int, row: TaskRecord) -> Cell:
    cell = cell_of_row(run, index, row)
    if row.state is S.REMOVED:
        turn.touch(cell)
    return cell


def catch_up(turn: Turn, run: Run) -> None:
    """A run that was read follows a version that came while nobody had it: rows of tasks that left are final."""
    if run.active and run.record.version_pk != run.graph.version_pk:
        run.record.version_pk = run.graph.version_pk
        turn.touch_run(run)
    names = {number: task_id for task_id, number in run.dag.record.task_numbers.items()} if run.gone else {}
    for rows in run.gone.values():
        for row in rows:
            if row.state in FINISHED_TASK_STATES:
                continue
            row.ended_at = turn.now
            waiting, row.waiting = row.waiting, None
            if waiting is not None:
                drop_wait(turn, waiting, row.pool, killed=True)
            if row.attempt is not None:
                _end_gone_attempt(turn, run, row, names[row.task_no])
            row.state, row.reason = next_state(row.state, Cause.REMOVE), _GONE
            row.resume_at = None
            turn.changes.tasks.append(row)
            turn.step.groups.add(run.dag.record.group_no)


def forget_gone(turn: Turn, run: Run) -> None:
    """The run was cleared as a whole: tasks that are not in the DAG now begin anew should they come back."""
    for rows in run.gone.values():
        for row in rows:
            if row.state is not S.REMOVED:
                row.state, row.reason = next_state(row.state, Cause.REMOVE), _GONE
                row.ended_at = row.ended_at or turn.now
                turn.changes.tasks.append(row)


def _end_gone_attempt(turn: Turn, run: Run, row: TaskRecord, task_id: str) -> None:
    assert row.attempt is not None and row.pool is not None
    if row.worker is not None:
        turn.step.cancels.append(CancelOrder(row.worker, row.attempt, _GONE))
    log = attempt_log(run.dag.record.dag_id, run.record.run_id, task_id, row.map_index, row.seq)
    turn.changes.attempts.append(AttemptRecord(
        run_pk=run.pk, task_no=row.task_no, map_index=row.map_index, seq=row.seq, attempt=row.attempt,
        try_number=row.try_number, kind="task", state="failed", reason=_GONE, worker=row.worker,
        started_at=row.started_at, ended_at=row.ended_at, exit_code=None, log=log,
    ))
    used = turn.changes.pool_used
    used[row.pool] = used.get(row.pool, 0) - row.pool_slots
    turn.memory.pool(row.pool).used -= row.pool_slots
    row.attempt = row.worker = None


def forget_dag(turn: Turn, dag_pk: int) -> None:
    """The DAG was deleted from the store."""
    dag = turn.memory.dags.get(dag_pk)
    if dag is not None:
        dag_gone(turn, dag.record.dag_id)
        forget(turn.memory, dag)


_GONE = "the task is no longer in the DAG"
