"""Reduces a DAG to one of its tasks, for `gnomon tasks test`."""

from __future__ import annotations

import msgspec

from gnomon.entry.cli.trial.dag_search import ParsedTarget
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.rules.decide.expansion import count_instances, measure_factors


def isolate_task(target: ParsedTarget, task_id: str, map_index: int | None = None) -> ParsedTarget:
    """The DAG with this task alone: without upstream tasks, retries, waits for other DAGs or for past runs, and without callbacks of runs.

    A mapped task keeps its instances. Raises NameNotFound for an unknown task, UserError for a task that needs others to know how many instances
    it has, and for a wrong `map_index`.
    """
    spec = target.dag.spec
    task = next((task for task in spec.tasks if task.task_id == task_id), None)
    if task is None:
        raise task_not_found(spec.dag_id, task_id, [task.task_id for task in spec.tasks])
    _check_instance(spec, task, map_index)
    alone = msgspec.structs.replace(
        task,
        upstream=(),
        trigger_rule="all_success",
        retries=0,
        depends_on_past=False,
        wait_for_downstream=False,
        depends_on=(),
        start_at=None,
        end_at=None,
        group=None,
    )
    lone = msgspec.structs.replace(
        spec,
        tasks=(alone,),
        start_at=None,
        end_at=None,
        depends_on=(),
        groups={},
        group_expansions={},
        edge_labels={},
        run_callbacks=(),
        deadlines=(),
        dagrun_timeout_s=None,
    )
    return ParsedTarget(target.parsed, msgspec.structs.replace(target.dag, spec=lone))


def _check_instance(spec: DagSpec, task: TaskSpec, map_index: int | None) -> None:
    """Raise UserError unless the task is not mapped and has no index, or is mapped over values of the file and has one that exists."""
    mapped_group = _find_mapped_group(spec, task)
    name = f"task {task.task_id!r} of DAG {spec.dag_id!r}"
    if task.expansion is None and mapped_group is None:
        if map_index is not None:
            raise UserError(
                f"{name} is not mapped and has no map index {map_index}; name it without an index: {task.task_id}"
            )
        return
    lengths = None if mapped_group is not None or task.expansion is None else measure_factors([task.expansion], {})
    if lengths is None:
        why = "is mapped" if mapped_group is None else f"is in the mapped group {mapped_group!r}"
        raise UserError(
            f"{name} {why}: its instances depend on what other tasks return; `gnomon dags test {quote_argument(spec.dag_id)}` runs the whole DAG"
        )
    count = count_instances(lengths)
    if map_index is None or map_index >= count:
        has = f"has {count} instances" if map_index is None else f"has no map index {map_index}"
        raise UserError(
            f"{name} is mapped and {has}; name one of them: '{task.task_id}[0]' to '{task.task_id}[{count - 1}]'"
            if count
            else f"{name} is mapped over nothing and has no instances"
        )


def _find_mapped_group(spec: DagSpec, task: TaskSpec) -> str | None:
    group = task.group
    while group is not None:
        if group in spec.group_expansions:
            return group
        group = spec.groups.get(group)
    return None
