"""All task instances of a run in columns, for views of thousands: what they share stands once."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND
from gnomon.model.records import DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.run_list import find_spec_of_run
from gnomon.queries.report.listings.task_instance_details import TaskInstanceDetail, list_details
from gnomon.storage.store import Transaction

INSTANCES_MAX = 50_000
"""The most task instances that one answer lists; the counts are of all."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """A task of the run."""

    task_id: str
    name: str
    operator: str | None
    group: str | None
    pool: str | None
    queue: str | None
    is_mapped: bool
    upstream: tuple[str, ...]
    counts: dict[str, int]
    """Instances by state; `none` without one."""


@dataclass(frozen=True, slots=True)
class RunTasks:
    """The tasks in topological order, and the instances with the index of their task."""

    tasks: list[RunTask]
    groups: dict[str, str | None]
    """The parent of each group."""
    states: list[str | None]
    instances: list[tuple[int, int, int, int, float | None, float | None, str | None]]
    """Index of the task, map index, index of the state, try, start and end in seconds since 1970, rendered map index."""
    total: int


def read_run_tasks(tx: Transaction, dag: DagRecord, run: RunRecord) -> RunTasks:
    """The tasks of the run."""
    spec = find_spec_of_run(tx, dag, run)
    details = list_details(tx, dag, run)
    by_id: dict[str, list[TaskInstanceDetail]] = {task.task_id: [] for task in spec.tasks}
    for detail in details:
        by_id.setdefault(detail.row.task_id, []).append(detail)
    specs = {task.task_id: task for task in spec.tasks}
    tasks = [_build_task(task_id, specs.get(task_id), instances) for task_id, instances in by_id.items()]
    numbers = {task_id: number for number, task_id in enumerate(by_id)}
    states: dict[str | None, int] = {}
    instances = [
        (
            numbers[detail.row.task_id],
            detail.row.map_index,
            states.setdefault(detail.row.state, len(states)),
            detail.row.try_number,
            *_read_times(detail.record),
            detail.row.rendered_map_index,
        )
        for detail in details[:INSTANCES_MAX]
    ]
    return RunTasks(tasks, dict(spec.groups), list(states), instances, len(details))


def _build_task(task_id: str, spec: TaskSpec | None, instances: list[TaskInstanceDetail]) -> RunTask:
    counts: dict[str, int] = {}
    for detail in instances:
        state = detail.row.state or "none"
        counts[state] = counts.get(state, 0) + 1
    if spec is None:
        return RunTask(task_id, task_id, None, None, None, None, len(instances) > 1, (), counts)
    is_mapped = any(detail.row.map_index >= 0 for detail in instances) or spec.expansion is not None
    return RunTask(
        task_id,
        spec.display_name or task_id,
        spec.operator,
        spec.group,
        spec.pool,
        spec.queue,
        is_mapped,
        tuple(spec.upstream),
        counts,
    )


def _read_times(record: TaskRecord | None) -> tuple[float | None, float | None]:
    if record is None:
        return None, None
    return (None if record.started_at is None else record.started_at / SECOND), (
        None if record.ended_at is None else record.ended_at / SECOND
    )
