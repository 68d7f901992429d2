"""Why is it not running? Facts of the store first, then the rules themselves, asked about what a take-over would load."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.engine import explain as rules
from gnomon.engine.load import load as take_over
from gnomon.engine.memory import Limits, Memory, Worker
from gnomon.model.ids import GROUPS, TaskKey, as_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.report import health
from gnomon.report.calendars import calendar_warnings
from gnomon.report.dags import processes
from gnomon.report.missing import no_task
from gnomon.report.passed import newest_passed
from gnomon.report.tasks import TaskInstanceRow, spec_of_run, task_instances
from gnomon.report.upstreams import upstream_warnings
from gnomon.report.waitingfor import what_it_waited_for, why_it_waits
from gnomon.report.waits import where_it_waits
from gnomon.store import Transaction, files, load, runs

_SHOWN = 5
"""A sentence about each of so many runs or tasks; the rest is counted."""
_FINISHED = {state.value for state in FINISHED_TASK_STATES}


def why_dag(tx: Transaction, dag: DagRecord, limits: Limits, now: Instant) -> list[str]:
    """Sentences on why the DAG has no run under way, or what its runs wait for."""
    sentences = _facts_of_dag(tx, dag, now)
    sentences += _nobody_there(tx)
    sentences += rules.why_dag(_memory(tx, limits), dag.dag_pk, now)
    unfinished, ended = runs.unfinished(tx, dag.dag_pk), runs.newest_ended(tx, dag.dag_pk)
    sentences += [f"run {run.run_id} is {run.state}{_because(run)}: gnomon explain {dag.dag_id} {as_argument(run.run_id)}" for run in unfinished[:_SHOWN]]
    sentences += _more(len(unfinished), "unfinished runs")
    sentences += [_ended(ended)] if ended else [] if unfinished else ["it has never run"]
    sentences += newest_passed(tx, dag)
    return sentences


def why_run(tx: Transaction, dag: DagRecord, run: RunRecord, limits: Limits, now: Instant) -> list[str]:
    """Sentences on why the run has not ended, or how it did."""
    if run.state in FINISHED_RUN_STATES:
        failed = [row for row in task_instances(tx, dag, run) if row.state == "failed"] if run.state is DagRunState.FAILED else []
        told = [_ended(run), *(f"{row.name}: {_how(row)}" for row in failed[:_SHOWN]), *_more(len(failed), "failed tasks")]
        return told + what_it_waited_for(tx, dag, run)
    sentences = _nobody_there(tx) + _file_error(tx, dag) + _paused(dag)
    sentences += rules.why_run(_memory(tx, limits), run.run_pk, now) + why_it_waits(tx, dag, run, now)
    return sentences if run.started_at is None else sentences + what_it_waited_for(tx, dag, run)


def why_task(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int, limits: Limits, now: Instant
) -> list[str]:
    """Sentences on why the task instance has not ended, or how it did."""
    rows = [row for row in task_instances(tx, dag, run) if row.task_id == task_id]
    if not rows and task_id not in dag.task_numbers:
        raise no_task(dag.dag_id, task_id, dag.task_numbers)
    mine = [row for row in rows if row.map_index == map_index]
    if not mine:
        return [_not_there(tx, dag, run, rows, task_id, map_index)]
    if mine[0].state in _FINISHED:
        told = [_how(mine[0]), *where_it_waits(tx, TaskKey(run.run_pk, dag.task_numbers[task_id], map_index))]
        return told + what_it_waited_for(tx, dag, run, task_id)
    if run.state in FINISHED_RUN_STATES:
        return [f"it has no status, and {_ended(run)}"]
    said = _nobody_there(tx) + _paused(dag) + rules.why_task(_memory(tx, limits), run.run_pk, task_id, map_index, now)
    said += where_it_waits(tx, TaskKey(run.run_pk, dag.task_numbers[task_id], map_index))
    return said + why_it_waits(tx, dag, run, now, task_id) + what_it_waited_for(tx, dag, run, task_id)


def _memory(tx: Transaction, limits: Limits) -> Memory:
    """What one scheduler that owned everything would hold."""
    memory = Memory(limits)
    for worker in health.live_workers(tx):
        memory.workers[worker.worker_id] = Worker(worker.worker_id, worker.slots)
    take_over(memory, load.load_groups(tx, range(GROUPS)), {})
    memory.set_pools(load.load_pools(tx))
    return memory


def _facts_of_dag(tx: Transaction, dag: DagRecord, now: Instant) -> list[str]:
    sentences = []
    if not dag.active:
        sentences.append(f"it is in no file any more; the last one was {dag.file}")
    sentences += _file_error(tx, dag)
    sentences += _paused(dag)
    if dag.dependency_error is not None:
        sentences.append(f"no run of it is planned: {dag.dependency_error}")
    sentences += upstream_warnings(tx, dag.dag_id).get(dag.dag_id, [])
    sentences += calendar_warnings(dag.spec.timetable, now)
    if dag.fresh is not None:
        sentences.append(f"its tasks run in {processes(dag)}")
    start = dag.spec.start_at
    if start is not None and start > now:
        sentences.append(f"its start_date {iso(start)} is in the future")
    return sentences


def _paused(dag: DagRecord) -> list[str]:
    return [f"DAG {dag.dag_id} is paused; let it run with: gnomon dags unpause {dag.dag_id}"] if dag.paused else []


def _file_error(tx: Transaction, dag: DagRecord) -> list[str]:
    return [
        f"its file {dag.file} cannot be loaded, the last good version stands: {error.message}"
        for error in files.import_errors(tx)
        if error.path == dag.file
    ]


def _nobody_there(tx: Transaction) -> list[str]:
    if health.scheduler_alive(tx):
        return []
    return ["no scheduler is alive; start one with: gnomon standalone, or gnomon scheduler"]


def _not_there(
    tx: Transaction, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], task_id: str, map_index: int
) -> str:
    if rows:
        return f"task {task_id} has no map index {map_index} in this run; it has {', '.join(str(row.map_index) for row in rows)}"
    if any(task.task_id == task_id for task in spec_of_run(tx, dag, run).tasks):
        return f"task {task_id} is not in this run: its start_date and end_date leave out logical date {iso(run.logical_at)}"
    return f"task {task_id} is not in the version of the DAG that this run follows"


def _ended(run: RunRecord) -> str:
    return f"run {run.run_id} ended in state {run.state} at {iso(run.ended_at)}" + (f": {run.reason}" if run.reason else "")


def _because(run: RunRecord) -> str:
    return f" ({run.reason})" if run.reason else ""


def _how(row: TaskInstanceRow) -> str:
    tries = f" in try {row.try_number}" if row.try_number else ""
    return f"it ended in state {row.state}{tries}" + (f" at {row.end_date}" if row.end_date else "") + (f": {row.reason}" if row.reason else "")


def _more(count: int, what: str) -> list[str]:
    return [f"and {count - _SHOWN} more {what}"] if count > _SHOWN else []
