"""The task instances of a run with their rows and specs, for the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.records import AttemptRecord, DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.run_list import (
    TaskInstanceRow,
    build_instance_rows,
    find_spec_of_run,
    list_stored_instances,
)
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs


@dataclass(frozen=True, slots=True)
class TaskInstanceDetail:
    """A task instance. `record` is None while it never had a state, `spec` for a task that left the DAG."""

    row: TaskInstanceRow
    task_no: int
    record: TaskRecord | None
    spec: TaskSpec | None


def find_executor(detail: TaskInstanceDetail) -> str | None:
    """The executor that `task_instance_mutation_hook` or the task names; None: the default, as in Airflow."""
    set_by_hook = None if detail.record is None or detail.record.overrides is None else detail.record.overrides.executor
    return set_by_hook or (None if detail.spec is None else detail.spec.executor)


def find_queue(detail: TaskInstanceDetail) -> str | None:
    """The queue that `task_instance_mutation_hook` or the task names; None for a task that left the DAG."""
    set_by_hook = None if detail.record is None or detail.record.overrides is None else detail.record.overrides.queue
    return set_by_hook or (None if detail.spec is None else detail.spec.queue)


@dataclass(frozen=True, slots=True)
class TaskTry:
    """One try of a task instance, which has several attempts when it was rescheduled, deferred or lost; the last one says how it ended."""

    try_number: int
    state: str | None
    started_at: int | None
    ended_at: int | None
    worker: str | None


def list_details(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None
) -> list[TaskInstanceDetail]:
    """All task instances of the run, in topological order of the tasks, then by map index. `task_id`: of this task only."""
    spec = find_spec_of_run(tx, dag, run)
    stored = list_stored_instances(tx, dag, run, task_id)
    specs = {task.task_id: task for task in spec.tasks}
    records = {(record.task_no, record.map_index): record for record in stored}
    return [
        TaskInstanceDetail(row, number, records.get((number, row.map_index)), specs.get(row.task_id))
        for row in build_instance_rows(dag, run, spec, stored, task_id)
        if (number := dag.task_numbers.get(row.task_id)) is not None
    ]


def list_tries(tx: Transaction, detail: TaskInstanceDetail) -> list[TaskTry]:
    """The tries of a task instance, oldest first; the current one last."""
    record = detail.record
    if record is None:
        return []
    ended = [
        attempt
        for attempt in dag_runs.list_attempts(tx, record.run_pk, record.task_no, record.map_index)
        if attempt.kind == "task"
    ]
    tries = _group_tries(ended)
    if record.state is not None and record.try_number > 0:
        started_at = tries[record.try_number].started_at if record.try_number in tries else record.started_at
        worker = record.worker or (tries[record.try_number].worker if record.try_number in tries else None)
        tries[record.try_number] = TaskTry(record.try_number, record.state.value, started_at, record.ended_at, worker)
    return [tries[number] for number in sorted(tries)]


def _group_tries(attempts: Iterable[AttemptRecord]) -> dict[int, TaskTry]:
    tries: dict[int, TaskTry] = {}
    for attempt in attempts:
        before = tries.get(attempt.try_number)
        started_at = attempt.started_at if before is None or before.started_at is None else before.started_at
        tries[attempt.try_number] = TaskTry(
            attempt.try_number, attempt.state, started_at, attempt.ended_at, attempt.worker
        )
    return tries
