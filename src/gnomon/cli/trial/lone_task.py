"""Reduces a DAG to one of its tasks, for `gnomon tasks test`."""

from __future__ import annotations

import msgspec

from gnomon.cli.trial.dag_search import ParsedTarget
from gnomon.errors.product import UserError
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.report.listings.not_found import task_not_found


def isolate_task(target: ParsedTarget, task_id: str) -> ParsedTarget:
    """The DAG with this task alone: without upstream tasks, retries, waits for other DAGs or for past runs, and without callbacks of runs.

    Raises NameNotFound for an unknown task, UserError for a task that needs others to know how many instances it has.
    """
    spec = target.dag.spec
    task = next((task for task in spec.tasks if task.task_id == task_id), None)
    if task is None:
        raise task_not_found(spec.dag_id, task_id, [task.task_id for task in spec.tasks])
    _check_unmapped(spec, task)
    alone = msgspec.structs.replace(
        task, upstream=(), trigger_rule="all_success", retries=0, depends_on_past=False, wait_for_downstream=False, depends_on=(),
        start_at=None, end_at=None, group=None,
    )
    lone = msgspec.structs.replace(
        spec, tasks=(alone,), start_at=None, end_at=None, depends_on=(), groups={}, group_expansions={}, edge_labels={}, run_callbacks=(),
        deadlines=(), dagrun_timeout_s=None,
    )
    return ParsedTarget(target.parsed, msgspec.structs.replace(target.dag, spec=lone))


def _check_unmapped(spec: DagSpec, task: TaskSpec) -> None:
    groups: list[str] = []
    group = task.group
    while group is not None:
        groups.append(group)
        group = spec.groups.get(group)
    mapped_group = next((group for group in groups if group in spec.group_expansions), None)
    if task.expansion is None and mapped_group is None:
        return
    why = "is mapped" if mapped_group is None else f"is in the mapped group {mapped_group!r}"
    raise UserError(
        f"task {task.task_id!r} of DAG {spec.dag_id!r} {why}: its instances depend on what other tasks return; "
        f"`gnomon dags test {spec.dag_id}` runs the whole DAG"
    )
