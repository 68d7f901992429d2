"""Builds the DagSpec of a DAG: the plain data that the parse child sends and the store keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec, ParamSpec, ParsedDag, TaskSpec
from gnomon.sdk.arguments import converters, fields
from gnomon.sdk.arguments.code_location import format_location
from gnomon.sdk.arguments.depends_on import encode_dependencies
from gnomon.sdk.arguments.task_rules import WeightRule
from gnomon.sdk.dags.dag import DAG
from gnomon.sdk.dags.dag_checks import check_dag, find_earliest_start
from gnomon.sdk.dags.topology import sort_topologically
from gnomon.sdk.deferral.deferral_checks import LoadClass
from gnomon.sdk.deferral.start_trigger import build_start_wait
from gnomon.sdk.schedules.schedule_argument import build_timetable_ref
from gnomon.sdk.schedules.timezone import zone_name
from gnomon.sdk.tasks.operator import BaseOperator
from gnomon.sdk.tasks.sensor import BaseSensorOperator

EDGE_SEPARATOR = "\x1f"
_TEXT_FIELDS_OF_DAG = ("description", "display_name", "doc_md", "tags", "owner", "edge_labels", "params")
_TEXT_FIELDS_OF_TASK = ("doc_md", "display_name", "owner")
"""Fields for people that the scheduler does not use: a change of one of them makes no new version of the DAG."""
_END_CALLBACKS = ("on_success_callback", "on_failure_callback", "on_retry_callback", "on_skipped_callback")
_CALLBACKS = ("on_execute_callback", "on_success_callback", "on_failure_callback", "on_retry_callback",
              "on_skipped_callback", "_pre_execute_hook", "_post_execute_hook", "inlets", "outlets")


def _refuse_load_class(path: str) -> type:
    raise LookupError(f"build_dag_spec needs the argument load_class to load {path}")


def build_dag_spec(dag: DAG, file: str, load_class: LoadClass = _refuse_load_class) -> ParsedDag:
    """Check the DAG and return it as plain data.

    `load_class` loads, by path, the triggers with which tasks start (`loading.class_loader.load_class`). Raises
    AirflowDagCycleException, DeferralRefused and the errors of `check_dag`. Each names the DAG and its line, and says what to
    change. Doubtful things become `dag.warnings`.
    """
    dag.__dict__["fileloc"] = dag.fileloc or file
    order = sort_topologically(dag.task_dict, dag.dag_id)
    check_dag(dag)
    priorities = compute_priorities(dag, order)
    spec = DagSpec(
        timetable=build_timetable_ref(dag.timetable),
        tasks=tuple(_task_spec(task, priorities[task.task_id], load_class, file) for task in order),
        timezone=zone_name(dag.timezone),
        start_at=converters.to_instant_or_none(find_earliest_start(dag)),
        owner=dag.owner,
        params=_param_specs(dag),
        groups={str(key): group.parent_group.group_id if group.parent_group else None
                for key, group in dag.task_group_dict.items()},
        edge_labels=_edge_labels(dag),
        **_latest_end(dag, fields.encode_fields(fields.DAG_FIELDS, dag)),
    )
    return ParsedDag(spec=spec, spec_hash=hash_spec(spec))


def _latest_end(dag: DAG, encoded: dict[str, Any]) -> dict[str, Any]:
    """Set the end of a DAG without end_date to the last end_date of its tasks, if every task has one (airflow-surface.md B.1)."""
    ends = [task.end_date for task in dag.tasks]
    if encoded["end_at"] is None and ends and None not in ends:
        encoded["end_at"] = max(_require_instant(end) for end in ends)
    return encoded


def _require_instant(moment: Any) -> Instant:
    instant = converters.to_instant_or_none(moment)
    assert instant is not None
    return instant


def _task_spec(task: BaseOperator, effective_priority: int, load_class: LoadClass, file: str) -> TaskSpec:
    group = task.task_group
    sensor = task if isinstance(task, BaseSensorOperator) else None
    return TaskSpec(
        operator=task.operator_name,
        upstream=tuple(sorted(task.upstream_task_ids)),
        group=group.group_id if group is not None else None,
        effective_priority=effective_priority,
        weight_rule=_weight_rule(task),
        runs_code=needs_process(task), hears_ends=handles_task_end(task),
        is_setup=task.is_setup,
        is_teardown=task.is_teardown,
        on_failure_fail_dagrun=task.on_failure_fail_dagrun,
        start_wait=build_start_wait(task, load_class, file),
        depends_on=encode_dependencies(task._depends_on),
        is_sensor=sensor is not None,
        soft_fail=sensor is not None and bool(sensor.soft_fail or sensor.never_fail),
        **fields.encode_fields(fields.OPERATOR_FIELDS, task),
    )


def _weight_rule(task: BaseOperator) -> str:
    rule = task.__dict__["weight_rule"]
    if isinstance(rule, str):
        return str(rule)
    kind = rule if isinstance(rule, type) else type(rule)
    return f"{kind.__module__}.{kind.__qualname__}"


def needs_process(task: BaseOperator) -> bool:
    """Return whether the task needs a process: its class executes something, or it has callbacks, hooks, inlets or outlets."""
    return task.runs_code or any(task.__dict__.get(name) for name in _CALLBACKS)


def handles_task_end(task: BaseOperator) -> bool:
    """Return whether author code runs when a trigger ends the task: callbacks, or an own `resume_execution`."""
    own = type(task).resume_execution.__module__
    return not own.startswith("gnomon.") or any(task.__dict__.get(name) for name in _END_CALLBACKS)


def _param_specs(dag: DAG) -> dict[str, ParamSpec]:
    return {
        name: ParamSpec(default=param.value if param.has_value else None, required=not param.has_value,
                        schema=_jsonable_schema(param.schema), description=param.description)
        for name, param in dag.params.items_as_params()
    }


def _jsonable_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema as JSON stores it: keys are text."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(_text_keys(schema)))
    return plain


def _text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _text_keys(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | range):
        return [_text_keys(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _edge_labels(dag: DAG) -> dict[str, str]:
    return {
        f"{before}{EDGE_SEPARATOR}{after}": str(info["label"])
        for before, edges in dag.edge_info.items()
        for after, info in edges.items()
        if info.get("label")
    }


def hash_spec(spec: DagSpec) -> str:
    """Return a hash of the fields that the scheduler uses; texts, tags, owners and params do not change it."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    for name in _TEXT_FIELDS_OF_DAG:
        plain.pop(name, None)
    for task in plain.get("tasks", ()):
        for name in _TEXT_FIELDS_OF_TASK:
            task.pop(name, None)
    timetable = plain["timetable"]
    timetable.pop("summary", None)
    timetable.pop("description", None)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:32]


PRIORITY_MAX = 2**31 - 1


def compute_priorities(dag: DAG, order: Sequence[BaseOperator]) -> dict[str, int]:
    """Return task id to effective priority, for tasks in topological order."""
    rules = {task.task_id: task.__dict__["weight_rule"] for task in order}
    weights = [int(task.__dict__["priority_weight"]) for task in order]
    masks = _weight_masks(weights)
    downstream = upstream = None
    priorities: dict[str, int] = {}
    for index, task in enumerate(order):
        rule = rules[task.task_id]
        total = weights[index]
        if rule == WeightRule.DOWNSTREAM:
            downstream = downstream or _reachable_bits(order, upstream=False)
            total += _sum_weights(downstream[index], masks)
        elif rule == WeightRule.UPSTREAM:
            upstream = upstream or _reachable_bits(order, upstream=True)
            total += _sum_weights(upstream[index], masks)
        elif rule != WeightRule.ABSOLUTE:
            dag.warn(f"Task {task.task_id!r}{format_location(task._location)}: weight_rule={rule!r} is an own strategy, which is "
                     "not supported yet; the priority of the task is its priority_weight.")
        priorities[task.task_id] = max(-PRIORITY_MAX, min(total, PRIORITY_MAX))
    return priorities


def _reachable_bits(order: Sequence[BaseOperator], *, upstream: bool) -> list[int]:
    """Return, for each task, the set of tasks after it (or before it), at any distance, as the bits of a number."""
    number = {task.task_id: index for index, task in enumerate(order)}
    reach = [0] * len(order)
    for index in range(len(order)) if upstream else range(len(order) - 1, -1, -1):
        bits = 0
        for task_id in order[index].upstream_task_ids if upstream else order[index].downstream_task_ids:
            other = number[task_id]
            bits |= reach[other] | (1 << other)
        reach[index] = bits
    return reach


def _sum_weights(bits: int, masks: dict[int, int]) -> int:
    """Return the sum of the weights of the tasks in `bits`; `masks` maps a weight to the tasks with that weight."""
    return sum(weight * (bits & mask).bit_count() for weight, mask in masks.items())


def _weight_masks(weights: list[int]) -> dict[int, int]:
    masks: dict[int, int] = {}
    for index, weight in enumerate(weights):
        masks[weight] = masks.get(weight, 0) | (1 << index)
    return masks
