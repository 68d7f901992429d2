"""Reduces a DAG to one of its tasks, for `gnomon tasks test`."""

from __future__ import annotations

import msgspec

from gnomon.entry.cli.trial.dag_search import ParsedTarget
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say
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
    if task.expansion is None and mapped_group is None:
        if map_index is not None:
            raise UserError(say("task_is_not_mapped", task_id=task.task_id, dag=spec.dag_id, map_index=map_index))
        return
    lengths = None if mapped_group is not None or task.expansion is None else measure_factors([task.expansion], {})
    if lengths is None:
        why = say("is_mapped") if mapped_group is None else say("is_in_mapped_group", name=mapped_group)
        raise UserError(
            say(
                "instances_depend_on_other_tasks",
                task_id=task.task_id,
                dag=spec.dag_id,
                why=why,
                command=Command("dags test", (spec.dag_id,)),
            )
        )
    count = count_instances(lengths)
    if map_index is None or map_index >= count:
        has = say("has_instances", number=count) if map_index is None else say("has_no_map_index", map_index=map_index)
        raise UserError(
            say("instance_is_to_be_named", task_id=task.task_id, dag=spec.dag_id, why=has, least=0, most=count - 1)
            if count
            else say("task_is_mapped_over_nothing", task_id=task.task_id, dag=spec.dag_id)
        )


def _find_mapped_group(spec: DagSpec, task: TaskSpec) -> str | None:
    group = task.group
    while group is not None:
        if group in spec.group_expansions:
            return group
        group = spec.groups.get(group)
    return None
