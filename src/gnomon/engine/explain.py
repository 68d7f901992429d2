"""Why has this not run? The sentences come from the rules that decide, asked again about the same memory."""

from __future__ import annotations

from gnomon.decide.trigger_rules import wait_reason
from gnomon.engine.admission import free_worker
from gnomon.engine.cells import Cell, Dag, Run
from gnomon.engine.edges import waits_for
from gnomon.engine.holding import closed_gate
from gnomon.engine.memory import Memory
from gnomon.engine.moves import verdict_of
from gnomon.engine.runs import active_runs_limit
from gnomon.engine.waits import deadline_of
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, iso
from gnomon.model.records import WaitRecord
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.verdict import Outcome
from gnomon.planning.jitter import made_at


def why_dag(memory: Memory, dag_pk: int, now: Instant) -> list[str]:
    """Why the DAG has no run under way or planned, as far as the owner's memory tells."""
    dag = memory.dags.get(dag_pk)
    if dag is None:
        return ["no scheduler has this DAG in memory"]
    record, spec = dag.record, dag.graph.spec
    sentences = []
    if record.error:
        sentences.append(f"planning stopped: {record.error}")
    if dag.held is not None and not record.paused:
        sentences.append(f"nothing starts: {dag.held}")
    if not spec.timetable.can_be_scheduled:
        sentences.append(f"its schedule is {spec.timetable.summary or 'None'}: runs are made by hand only")
    elif record.next_run is not None:
        due = made_at(spec, record.next_run)
        moved = f", and made at {iso(due)} because of jitter" if due != record.next_run.run_after else ""
        sentences.append(f"the next run is due at {iso(record.next_run.run_after)}{moved}" + (", which is past" if due <= now else ""))
        unfinished = sum(run.record.run_type.value != "backfill" for run in dag.runs.values())
        if due <= now and unfinished >= active_runs_limit(dag):
            sentences.append(f"max_active_runs={active_runs_limit(dag)} is reached by {unfinished} unfinished run{'s' if unfinished != 1 else ''}")
    elif record.fingerprint is None and not record.error:
        sentences.append("its first run is not planned yet" + ("; that happens once it is unpaused" if record.paused else ""))
    elif not record.error:
        sentences.append("its timetable has no further run" + _bounds(dag))
    return sentences


def _bounds(dag: Dag) -> str:
    end = dag.graph.spec.end_at
    return f" (end_date {iso(end)})" if end is not None else ""


def why_run(memory: Memory, run_pk: int, now: Instant) -> list[str]:
    """Why the run has not ended: why it is queued, or each of its unfinished tasks in one sentence."""
    run = memory.runs.get(run_pk)
    if run is None:
        return []
    dag = run.dag
    if run.record.state is DagRunState.QUEUED:
        return [_why_queued(dag, run, now)]
    sentences = []
    for cells in run.cells:
        for cell in cells.values():
            why = why_cell(memory, cell, now)
            if why is not None:
                sentences.append(f"{cell.name()}: {why}")
    return sentences


def _why_queued(dag: Dag, run: Run, now: Instant) -> str:
    if dag.held is not None:
        return f"queued: {dag.held}"
    if run.pk in dag.waiting:
        return f"queued: it {waits_for(run) or 'is about to find out what it waits for in other DAGs'}"
    if run.record.run_after > now:
        return f"queued: it may start at {iso(run.record.run_after)}"
    if dag.running >= active_runs_limit(dag):
        return f"queued: max_active_runs={active_runs_limit(dag)} is reached by {dag.running} running run{'s' if dag.running != 1 else ''}"
    return "queued: it starts with the scheduler's next step"


def why_task(memory: Memory, run_pk: int, task_id: str, map_index: int, now: Instant) -> list[str]:
    """Why this task instance has not ended."""
    run = memory.runs.get(run_pk)
    if run is None:
        return []
    index = run.graph.index.get(task_id)
    cell = run.cell(index, map_index) if index is not None else None
    if cell is None:
        return [f"task {task_id} has no instance in this run" + (f" with map index {map_index}" if map_index != UNMAPPED else "")]
    if run.record.state is DagRunState.QUEUED and cell.state is None:
        return [f"its run is {_why_queued(run.dag, run, now)}"]
    why = why_cell(memory, cell, now)
    return [why] if why is not None else []


def why_cell(memory: Memory, cell: Cell, now: Instant) -> str | None:
    """One sentence for an unfinished task instance, None for a finished one."""
    if cell.state in _LIVE_WORDS:
        return _LIVE_WORDS[cell.state].format(n=cell.try_number, worker=cell.worker)
    if cell.state is S.DEFERRED and cell.waiting is not None and not cell.resumes:
        return _why_deferred(cell, cell.waiting)
    if cell.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and cell.resume_at is not None and cell.resume_at > now:
        what = "the next try is" if cell.state is S.UP_FOR_RETRY else "the sensor is called again"
        return f"{what} at {iso(cell.resume_at)}" + (f"; the last one ended: {cell.reason}" if cell.reason else "")
    if cell.state in (None, S.SCHEDULED, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE, S.DEFERRED):
        if cell.state is None and not cell.ready:
            return _why_not_ready(cell)
        return _why_not_admitted(memory, cell)
    return None


def _why_deferred(cell: Cell, waiting: WaitRecord) -> str:
    """What it waits for, since when, and until when at most."""
    since = f"deferred since {iso(waiting.created_at)}"
    limits = [at for at in (waiting.timeout_at, deadline_of(cell)) if at is not None]
    at_most = f"; it fails at {iso(min(limits))} if nothing has come" if limits else ""
    if waiting.due_at is None:
        return f"{since}: it waits for an event of {waiting.wait.classpath}{at_most}"
    held = f", which is held up: {cell.run.dag.held}" if cell.run.dag.held is not None else ""
    return f"{since}: it waits until {iso(waiting.due_at)}{held}{at_most}"


_LIVE_WORDS = {
    S.QUEUED: "try {n} was submitted to worker {worker} and has not begun",
    S.RUNNING: "try {n} is running on worker {worker}",
    S.RESTARTING: "try {n} is being stopped on worker {worker}, because it was cleared",
}


def _why_not_ready(cell: Cell) -> str:
    verdict = verdict_of(cell)
    if verdict.outcome is not Outcome.WAIT:
        return "it is judged with the scheduler's next step"
    if verdict.reason:
        return verdict.reason
    run = cell.run
    open_upstream = [
        f"{other.name()} ({other.state or 'no status'})"
        for task_id in cell.task.upstream
        for other in run.cells[run.graph.index[task_id]].values()
        if other.ended_at is None or other.state is None
    ]
    return wait_reason(cell.task.trigger_rule, run.tallies[cell.index]) + (
        f"; open: {', '.join(open_upstream[:_NAMED])}" + (" ..." if len(open_upstream) > _NAMED else "") if open_upstream else ""
    )


def _why_not_admitted(memory: Memory, cell: Cell) -> str:
    if cell.run.dag.held is not None:
        return cell.run.dag.held
    pool = memory.pool(cell.task.pool)
    if pool.slots is None:
        return f"pool {pool.name} does not exist; make it with: gnomon pools set {pool.name} SLOTS"
    if 0 <= pool.slots < cell.pool_slots:
        return f"it wants {_slots(cell.pool_slots)} and pool {pool.name} has {pool.slots}; it can never start"
    gate = closed_gate(cell)
    if gate is not None:
        return f"{gate.name} is reached"
    if not pool.has_room(cell.pool_slots):
        state = "is full" if pool.used >= pool.slots else "has too few free slots"
        return f"pool {pool.name} {state}: {pool.used} of {pool.slots} slots are used and it wants {cell.pool_slots}"
    parallelism = memory.limits.parallelism
    if parallelism is not None and memory.live >= parallelism:
        return f"[core] parallelism={parallelism} is reached"
    if not memory.workers:
        return "no worker is alive; start one with: gnomon worker"
    if free_worker(memory) is None:
        return "every slot of every worker is taken"
    return "it starts with the scheduler's next step"


def _slots(count: int) -> str:
    return f"{count} slot{'s' if count != 1 else ''}"


_NAMED = 5
