"""From an author's DAG to what the server stores of it."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.spec import DagParsed, DagSpec, ParamSpec, TaskSpec
from gnomon.sdk import fields, values
from gnomon.sdk.check import check_dag, earliest_start
from gnomon.sdk.dag import DAG
from gnomon.sdk.deferring import LoadClass
from gnomon.sdk.graph import topological_order
from gnomon.sdk.operator import BaseOperator
from gnomon.sdk.schedule import reference
from gnomon.sdk.sensor import BaseSensorOperator
from gnomon.sdk.starting import start_wait
from gnomon.sdk.timezone import zone_name
from gnomon.sdk.waits import dependency_specs
from gnomon.sdk.weights import effective_priorities

EDGE = "\x1f"
_WORDS_OF_DAG = ("description", "display_name", "doc_md", "tags", "owner", "edge_labels", "params")
_WORDS_OF_TASK = ("doc_md", "display_name", "owner")
"""Fields that people read and the scheduler does not: a change of these is no new version."""
_END_CALLBACKS = ("on_success_callback", "on_failure_callback", "on_retry_callback", "on_skipped_callback")
_CALLBACKS = ("on_execute_callback", "on_success_callback", "on_failure_callback", "on_retry_callback",
              "on_skipped_callback", "_pre_execute_hook", "_post_execute_hook", "inlets", "outlets")


def _no_class(path: str) -> type:
    raise LookupError(f"build was given no load_class to find {path} with")


def build(dag: DAG, file: str, load_class: LoadClass = _no_class) -> DagParsed:
    """The DAG as plain data, checked: no cycle, a schedule that can fire, params that hold, triggers that can be made.

    `load_class` finds the triggers that tasks start from, by their paths (`loading.load_class`). Raises the authoring error that names DAG, line and remedy. What is only doubtful stands in `dag.warnings`.
    """
    dag.__dict__["fileloc"] = dag.fileloc or file
    order = topological_order(dag.task_dict, dag.dag_id)
    check_dag(dag)
    priorities = effective_priorities(dag, order)
    spec = DagSpec(
        timetable=reference(dag.timetable),
        tasks=tuple(_task_spec(task, priorities[task.task_id], load_class, file) for task in order),
        timezone=zone_name(dag.timezone),
        start_at=values.instant(earliest_start(dag)),
        owner=dag.owner,
        params=_param_specs(dag),
        groups={str(key): group.parent_group.group_id if group.parent_group else None
                for key, group in dag.task_group_dict.items()},
        edge_labels=_edge_labels(dag),
        **_latest_end(dag, fields.encode(fields.DAG, dag)),
    )
    return DagParsed(spec=spec, spec_hash=spec_hash(spec))


def _latest_end(dag: DAG, encoded: dict[str, Any]) -> dict[str, Any]:
    """Without an end of its own, a DAG whose tasks all end is over with the last of them (airflow-surface.md B.1)."""
    ends = [task.end_date for task in dag.tasks]
    if encoded["end_at"] is None and ends and None not in ends:
        encoded["end_at"] = max(_instant(end) for end in ends)
    return encoded


def _instant(moment: Any) -> Instant:
    found = values.instant(moment)
    assert found is not None
    return found


def _task_spec(task: BaseOperator, effective_priority: int, load_class: LoadClass, file: str) -> TaskSpec:
    group = task.task_group
    sensor = task if isinstance(task, BaseSensorOperator) else None
    return TaskSpec(
        operator=task.operator_name,
        upstream=tuple(sorted(task.upstream_task_ids)),
        group=group.group_id if group is not None else None,
        effective_priority=effective_priority,
        weight_rule=_weight_rule(task),
        runs_code=runs_code(task), hears_ends=hears_ends(task),
        is_setup=task.is_setup,
        is_teardown=task.is_teardown,
        on_failure_fail_dagrun=task.on_failure_fail_dagrun,
        start_wait=start_wait(task, load_class, file),
        depends_on=dependency_specs(task._depends_on),
        is_sensor=sensor is not None,
        soft_fail=sensor is not None and bool(sensor.soft_fail or sensor.never_fail),
        **fields.encode(fields.OPERATOR, task),
    )


def _weight_rule(task: BaseOperator) -> str:
    rule = task.__dict__["weight_rule"]
    if isinstance(rule, str):
        return str(rule)
    kind = rule if isinstance(rule, type) else type(rule)
    return f"{kind.__module__}.{kind.__qualname__}"


def runs_code(task: BaseOperator) -> bool:
    """Whether a process is needed: its class executes something, or callbacks, hooks, inlets or outlets hang on it."""
    return task.runs_code or any(task.__dict__.get(name) for name in _CALLBACKS)


def hears_ends(task: BaseOperator) -> bool:
    """Whether code of the author's runs when the task ends by its trigger: callbacks, or a `resume_execution` of its own."""
    own = type(task).resume_execution.__module__
    return not own.startswith("gnomon.") or any(task.__dict__.get(name) for name in _END_CALLBACKS)


def _param_specs(dag: DAG) -> dict[str, ParamSpec]:
    return {
        name: ParamSpec(default=param.value if param.has_value else None, required=not param.has_value,
                        schema=_plain(param.schema), description=param.description)
        for name, param in dag.params.items_as_params()
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as JSON would keep it: keys are text."""
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
        f"{before}{EDGE}{after}": str(info["label"])
        for before, edges in dag.edge_info.items()
        for after, info in edges.items()
        if info.get("label")
    }


def spec_hash(spec: DagSpec) -> str:
    """A hash over what the scheduler uses: equal specs but for texts, tags, owners and params have equal hashes."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    for name in _WORDS_OF_DAG:
        plain.pop(name, None)
    for task in plain.get("tasks", ()):
        for name in _WORDS_OF_TASK:
            task.pop(name, None)
    timetable = plain["timetable"]
    timetable.pop("summary", None)
    timetable.pop("description", None)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:32]
