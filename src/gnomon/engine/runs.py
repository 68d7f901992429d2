"""The life of a run: attached, started when the DAG has room, ended when nothing in it is unfinished, forgotten."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Iterable

from gnomon.decide.outcomes import run_outcome
from gnomon.decide.transitions import Cause, next_state
from gnomon.decide.trigger_rules import Tally
from gnomon.engine.asked import run_ended, stop_asking
from gnomon.engine.cells import Cell, Dag, Run
from gnomon.engine.edges import edges_for, stops_run
from gnomon.engine.holding import hold, leave, let_go
from gnomon.engine.memory import Memory
from gnomon.engine.moves import finish, is_finished, make_ready, take_back
from gnomon.engine.turn import CancelOrder, Turn
from gnomon.engine.waits import arm
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.runwaits import RunWait, WaitState
from gnomon.model.spec import TaskSpec
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, DagRunType
from gnomon.model.states import TaskInstanceState as S

BEGUN_MAX = 5000
"""Task instances of runs that one step starts; the next run waits for the next step, which follows at once."""
UNBOUNDED = 1_000_000
"""Stands for no limit: so many runs of one DAG at once are more than any machine holds."""


def attach(
    memory: Memory, dag: Dag, record: RunRecord, rows: Iterable[TaskRecord], run_waits: Iterable[RunWait] = ()
) -> Run:
    """Take a run into memory as the store has it; one that is already there is replaced."""
    detach(memory, dag, record.run_pk)
    run = Run(dag, record)
    _build_cells(run, rows)
    waits = tuple(run_waits)
    run.edges = edges_for(run.graph.edges, record, waits)
    run.stale_waits = tuple(wait for wait in waits if wait.edge_no not in run.edges)
    for cells in run.cells:
        for cell in cells.values():
            if cell.attempt is not None:
                hold(memory, cell)
            elif cell.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and cell.resume_at is not None:
                memory.set_timer(cell.resume_at, cell)
            elif cell.state is S.DEFERRED:
                arm(memory, cell)
    memory.runs[run.pk] = dag.runs[run.pk] = run
    if record.slot_at is not None:
        dag.by_slot[record.slot_at] = run
    arm_edges(memory, run)
    if record.state is DagRunState.QUEUED and stops_run(run):
        dag.waiting[run.pk] = None
    elif record.state is DagRunState.QUEUED:
        heapq.heappush(dag.queued, run.order)
    elif record.state is DagRunState.RUNNING:
        dag.running += 1
        arm_timeout(memory, run)
    remember(run)
    return run


def attach_past(memory: Memory, dag: Dag, record: RunRecord, rows: Iterable[TaskRecord]) -> None:
    """Keep an ended run that a later one may look back at, unless it is known."""
    if record.run_pk not in dag.runs and all(run.pk != record.run_pk for run in dag.past):
        run = attach(memory, dag, record, rows)
        dag.runs.pop(run.pk, None)
        memory.runs.pop(run.pk, None)
        _forget_slot(run)


def remember(run: Run) -> None:
    """Keep a run that a later one may look back at, in order."""
    if run.graph.uses_past:
        _forget_past(run.dag, run.pk)
        bisect.insort(run.dag.past, run, key=lambda r: r.order)


def _forget_past(dag: Dag, run_pk: int) -> None:
    if any(other.pk == run_pk for other in dag.past):
        dag.past[:] = [other for other in dag.past if other.pk != run_pk]


def _build_cells(run: Run, rows: Iterable[TaskRecord]) -> None:
    graph = run.graph
    run.cells = [
        {UNMAPPED: Cell(run, i, UNMAPPED, task)} if belongs(task, run.record) else {} for i, task in enumerate(graph.tasks)
    ]
    for row in rows:
        index = graph.by_number.get(row.task_no)
        if index is None:
            run.gone.setdefault(row.task_no, []).append(row)
        else:
            run.cells[index][row.map_index] = cell_of_row(run, index, row)
    tally_up(run)


def cell_of_row(run: Run, index: int, row: TaskRecord) -> Cell:
    """The cell as its row says; one that was removed while its task was gone has no status again."""
    cell = Cell(run, index, row.map_index, run.graph.tasks[index])
    cell.restore(row)
    if cell.state is S.REMOVED and run.record.state not in FINISHED_RUN_STATES:
        cell.state = next_state(cell.state, Cause.CLEAR)
        cell.max_tries = cell.try_number + cell.task.retries
        cell.started_at = cell.ended_at = cell.reason = None
    return cell


def tally_up(run: Run) -> None:
    """Make the tallies and the count of unfinished cells from the cells."""
    graph = run.graph
    run.tallies = []
    run.unfinished = 0
    for i, task in enumerate(graph.tasks):
        upstream = [graph.index[task_id] for task_id in task.upstream]
        tally = Tally(sum(len(run.cells[u]) for u in upstream), sum(graph.tasks[u].is_setup for u in upstream))
        for u in upstream:
            for cell in run.cells[u].values():
                tally.add(cell.state, 1, graph.tasks[u].is_setup)
        run.tallies.append(tally)
        run.unfinished += sum(not is_finished(cell) for cell in run.cells[i].values())


def belongs(task: TaskSpec, run: RunRecord) -> bool:
    """False when the run's logical date lies outside the task's start and end (airflow-surface.md D.6)."""
    if run.logical_at is None:
        return True
    if task.start_at is not None and run.logical_at < task.start_at and run.run_type is not DagRunType.BACKFILL:
        return False
    return task.end_at is None or run.logical_at <= task.end_at


def start_queued(turn: Turn, dag: Dag) -> None:
    """Start queued runs in order while the DAG has room; one due later, or too many for this step, sets a timer."""
    if dag.held is not None:
        return
    limit = active_runs_limit(dag)
    while dag.queued and (dag.running < limit or dag.graph.spec.overlap == "cancel_running"):
        run = dag.runs.get(dag.queued[0][1])
        if run is None or run.record.state is not DagRunState.QUEUED or run.order != dag.queued[0] or run.pk in dag.waiting:
            heapq.heappop(dag.queued)
            continue
        if run.record.run_after > turn.now or turn.begun >= BEGUN_MAX:
            if not run.due_called:
                run.due_called = True
                turn.memory.set_timer(max(run.record.run_after, turn.now), run)
            return
        _give_way(turn, run)
        if dag.running >= limit:
            return
        heapq.heappop(dag.queued)
        _start(turn, run)


def _give_way(turn: Turn, run: Run) -> None:
    """With overlap="cancel_running", the running runs before a planned one that is due end failed.

    What this rests on is stored, the queue of runs: so it holds across restarts. A run that was cleared starts beside
    newer ones.
    """
    if run.graph.spec.overlap != "cancel_running" or run.record.run_type is not DagRunType.SCHEDULED:
        return
    reason = f'overlap="cancel_running": run {run.record.run_id} was due'
    for other in sorted(run.dag.runs.values(), key=lambda other: other.order):
        if other.active and other.order < run.order and other.record.run_type is not DagRunType.BACKFILL:
            stop_tasks(turn, other, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=reason)
            end(turn, other, DagRunState.FAILED, reason)


def active_runs_limit(dag: Dag) -> int:
    """How many runs of the DAG may be running at once."""
    spec = dag.graph.spec
    by_timetable = spec.timetable.active_runs_limit
    by_dag = UNBOUNDED if spec.overlap == "allow" else spec.max_active_runs
    return by_dag if by_timetable is None else min(by_dag, by_timetable)


def _start(turn: Turn, run: Run) -> None:
    run.record.started_at = turn.now
    run.record.version_pk = run.graph.version_pk
    run.record.reason = None
    turn.set_run_state(run, DagRunState.RUNNING)
    run.dag.running += 1
    turn.begun += len(run.cells)
    arm_timeout(turn.memory, run)
    arm_edges(turn.memory, run)
    _close_edges(turn, run)
    turn.log("run_started", run=run)
    judge_all(turn, run)


def arm_edges(memory: Memory, run: Run, not_before: Instant = 0) -> None:
    """Look at the run when an edge that holds it up has waited for its `max_wait`."""
    for edge in run.edges.values():
        at = edge.expires_at(run.record)
        if at is not None and (edge.edge.task_id is None) == (run.record.state is DagRunState.QUEUED):
            memory.set_timer(max(at, not_before), run)


def _close_edges(turn: Turn, run: Run) -> None:
    """What the run waited for without need, or no longer needs, is closed: of an ended run all, of one that starts its own."""
    for edge in run.edges.values():
        if edge.edge.task_id is None or not run.active:
            stop_asking(turn, edge.waits.values())
            for wait in edge.open():
                wait.state, wait.since = WaitState.CLOSED, turn.now
                turn.changes.run_waits[wait.down_run, wait.edge_no, wait.up_dag, wait.up_at] = wait


def arm_timeout(memory: Memory, run: Run) -> None:
    """Look at the run when its dagrun_timeout is over."""
    timeout_s = run.graph.spec.dagrun_timeout_s
    if timeout_s is not None and run.record.started_at is not None:
        memory.set_timer(_timeout_at(run.record.started_at, timeout_s), run)


def _timeout_at(started_at: Instant, timeout_s: float) -> Instant:
    return started_at + int(timeout_s * SECOND)


def judge_all(turn: Turn, run: Run) -> None:
    """Judge every task of a running run; a run without anything unfinished may end."""
    for index, cells in enumerate(run.cells):
        if cells:
            turn.judge_later(run, index)
        for cell in cells.values():
            if not cell.ready and cell.attempt is None and (cell.state is S.SCHEDULED or (cell.state is S.DEFERRED and cell.resumes)):
                make_ready(turn, cell)
    if run.unfinished == 0:
        turn.emptied[run] = None


def end_if_done(turn: Turn, run: Run) -> None:
    """End a running run in which nothing is unfinished."""
    if not run.active or run.unfinished or run.dag.runs.get(run.pk) is not run:
        return
    turn.subject = run.dag
    leaves = ((cell.name(), cell.state) for i in run.graph.leaves for cell in run.cells[i].values())
    state, reason = run_outcome(leaves)
    end(turn, run, state, reason)


def end(turn: Turn, run: Run, state: DagRunState, reason: str | None) -> None:
    """Give the run its final state, and its place to the next one."""
    was_active = run.active
    run.record.ended_at = turn.now
    run.record.reason = reason
    turn.set_run_state(run, state)
    if was_active:
        run.dag.running -= 1
    run.dag.waiting.pop(run.pk, None)
    _close_edges(turn, run)
    if turn.memory.asked:
        run_ended(turn, run)
    turn.log("run_ended", run=run, body=state.value if reason is None else f"{state.value}: {reason}")
    turn.startable[run.dag] = None
    turn.step.plannable.add(run.record.dag_pk)
    if state is DagRunState.FAILED and run.graph.spec.max_consecutive_failed_dag_runs > 0:
        turn.step.failing.add(run.record.dag_pk)


def stop_tasks(turn: Turn, run: Run, *, live: Cause, waiting: Cause, reason: str, teardowns: bool = True) -> None:
    """End everything unfinished in the run: what is live by `live`, and cancelled; what waits by `waiting`.

    `teardowns` False: teardowns go on.
    """
    for cells in run.cells:
        for cell in cells.values():
            if is_finished(cell) or (cell.task.is_teardown and not teardowns):
                continue
            was_live = cell.live
            stop(turn, cell, live if was_live else waiting, reason)


def stop(turn: Turn, cell: Cell, cause: Cause, reason: str) -> None:
    """Give the cell a final state whatever it does now; a live attempt is cancelled and recorded."""
    if cell.attempt is not None:
        assert cell.worker is not None
        turn.step.cancels.append(CancelOrder(cell.worker, cell.attempt, reason))
        cell.ended_at = turn.now
        leave(turn, cell, "failed", reason)
    if is_finished(cell):
        take_back(turn, cell)
        cell.ended_at = None
    finish(turn, cell, cause, reason)


def on_timer(turn: Turn, run: Run) -> None:
    """A time of the run has come: it may start now, or it has run too long."""
    if run.record.state is DagRunState.QUEUED:
        run.due_called = False
        turn.startable[run.dag] = None
        return
    if run.dag.held is not None:
        return  # nobody lets it go on; the time is looked at again when somebody does
    timeout_s = run.graph.spec.dagrun_timeout_s
    if not run.active or timeout_s is None or run.record.started_at is None:
        return
    if _timeout_at(run.record.started_at, timeout_s) > turn.now:
        return
    reason = f"dagrun_timeout: the run took longer than {timeout_s:g} s"
    stop_tasks(turn, run, live=Cause.MARK_SKIPPED, waiting=Cause.MARK_SKIPPED, reason=reason)  # airflow-surface.md D.3
    end(turn, run, DagRunState.FAILED, reason)


def forget_ended(turn: Turn, run: Run) -> None:
    """Let go of a run that has ended, unless a later one may look back at it."""
    if run.record.state in FINISHED_RUN_STATES and run.dag.runs.get(run.pk) is run:
        turn.memory.runs.pop(run.pk, None)
        run.dag.runs.pop(run.pk, None)
        _forget_slot(run)
        prune_past(run.dag)


def _forget_slot(run: Run) -> None:
    slot = run.record.slot_at
    if slot is not None and run.dag.by_slot.get(slot) is run:
        del run.dag.by_slot[slot]


def prune_past(dag: Dag) -> None:
    """Keep of the ended runs only those right before an unfinished run, and the newest of all."""
    newest = len(dag.past) - 1
    dag.past[:] = [
        run
        for i, run in enumerate(dag.past)
        if run.pk in dag.runs or i == newest or dag.past[i + 1].pk in dag.runs
    ]


def detach(memory: Memory, dag: Dag, run_pk: int) -> None:
    """Drop a run from memory without any change to the store."""
    run = dag.runs.pop(run_pk, None)
    memory.runs.pop(run_pk, None)
    if run is None:
        return
    run.ticket += 1
    dag.waiting.pop(run.pk, None)
    _forget_slot(run)
    if run.active:
        dag.running -= 1
    for cells in run.cells:
        for cell in cells.values():
            cell.ticket += 1
            if cell.attempt is not None:
                let_go(memory, cell)
    _forget_past(dag, run_pk)


def forget(memory: Memory, dag: Dag) -> None:
    """Drop a DAG and its runs from memory without any change to the store."""
    for run_pk in list(dag.runs):
        detach(memory, dag, run_pk)
    memory.dags.pop(dag.record.dag_pk, None)
