"""Builds the DagSpec of a DAG: the plain data that the parse child sends and the store keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import msgspec

from gnomon.authoring.sdk.arguments import converters
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.depends_on import encode_dependencies
from gnomon.authoring.sdk.arguments.run_types import excludes_scheduled_runs
from gnomon.authoring.sdk.arguments.task_rules import WeightRule
from gnomon.authoring.sdk.arguments.task_warnings import warn_about_task
from gnomon.authoring.sdk.arguments.timezone import zone_name
from gnomon.authoring.sdk.arguments.weight_strategies import compute_strategy_weight
from gnomon.authoring.sdk.assets import AssetRef, BaseAsset
from gnomon.authoring.sdk.assets.asset_plain_data import declare_assets, find_alias_groups, to_condition, to_leaves
from gnomon.authoring.sdk.assets.asset_watchers import build_watchers
from gnomon.authoring.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_checks import check_dag, find_earliest_start
from gnomon.authoring.sdk.dags.start_trigger import build_start_wait
from gnomon.authoring.sdk.deferral.deferral_checks import LoadClass
from gnomon.authoring.sdk.mapping.expansion_spec import build_expansion
from gnomon.authoring.sdk.mapping.mapped_operator import MappedOperator
from gnomon.authoring.sdk.mapping.mapped_task_group import MappedTaskGroup
from gnomon.authoring.sdk.nodes.topology import sort_topologically
from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.tasks.cleared_tasks import find_cleared_task
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.operator_links import NO_PLUGIN_LINKS, PluginLinks, describe_links
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.authoring.sdk.tasks.sensor_waits import find_sensor_waits
from gnomon.ground.config import OptionError, current_config
from gnomon.model.assets import AssetCondition, AssetDeclaration
from gnomon.model.errors.product import find_close_matches
from gnomon.model.instants import Instant
from gnomon.model.json_value import to_plain_json
from gnomon.model.message_bounds import find_message_fault
from gnomon.model.run_callbacks import CallbackKind
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, ParamSpec, ParsedDag, TaskSpec
from gnomon.model.storable_text import escape_unstorable
from gnomon.model.unchecked_sentences import say_unchecked

EDGE_SEPARATOR = "\x1f"
_TEXT_FIELDS_OF_DAG = (
    "description",
    "display_name",
    "doc_md",
    "tags",
    "owner",
    "owner_links",
    "edge_labels",
    "params",
    "airflow_dialect_reason",
)
_TEXT_FIELDS_OF_TASK = ("triggers_dag", "waits_for", "doc_md", "display_name", "owner")
"""Fields for people that the scheduler does not use: a change of one of them makes no new version of the DAG."""
_JSON_FIELDS_OF_SPEC = frozenset({"kwargs", "next_kwargs", "default"})
"""Fields of values of authors, which are stored as JSON or encrypted."""
_END_CALLBACKS = ("on_success_callback", "on_failure_callback", "on_retry_callback", "on_skipped_callback")
_FAILURE_CALLBACKS = ("on_failure_callback", "on_retry_callback", "email")
_CALLBACKS = (
    "on_execute_callback",
    "on_success_callback",
    "on_failure_callback",
    "on_retry_callback",
    "on_skipped_callback",
    "_pre_execute_hook",
    "_post_execute_hook",
)

_RUN_CALLBACKS = {CallbackKind.RUN_SUCCEEDED: "on_success_callback", CallbackKind.RUN_FAILED: "on_failure_callback"}


def _refuse_load_class(path: str) -> type:
    raise LookupError(f"build_dag_spec needs the argument load_class to load {path}")


def build_dag_spec(
    dag: DAG,
    file: str,
    load_class: LoadClass = _refuse_load_class,
    listeners: Mapping[str, Any] = MappingProxyType({}),
    plugin_links: PluginLinks = NO_PLUGIN_LINKS,
) -> ParsedDag:
    """Check the DAG and return it as plain data.

    `listeners`: the fields of the spec that say which listeners of plugins and which cluster policies are called. `plugin_links`: the links that plugins add to tasks.
    `load_class` loads, by path, the triggers with which tasks start (`loading.class_loader.load_class`). Raises
    AirflowDagCycleException, DeferralRefused and the errors of `check_dag`. Each names the DAG and its line, and says what to
    change. Doubtful things become `dag.warnings`.
    """
    dag.__dict__["fileloc"] = dag.fileloc or file
    order = sort_topologically(dag.task_dict, dag.dag_id)
    check_dag(dag)
    _warn_about_channels(dag)
    _check_baselines(dag)
    priorities = compute_priorities(order)
    spec = DagSpec(
        timetable=_timetable_ref(dag),
        tasks=tuple(_task_spec(task, priorities[task.task_id], load_class, file, plugin_links) for task in order),
        timezone=zone_name(dag._zone),
        start_at=converters.to_instant_or_none(find_earliest_start(dag)),
        airflow_dialect=dag.airflow_dialect.number,
        airflow_dialect_reason=dag.airflow_dialect.reason,
        owner=dag.owner,
        params=_param_specs(dag),
        groups={
            str(key): group.parent_group.group_id if group.parent_group else None
            for key, group in dag.task_group_dict.items()
        },
        group_expansions={
            str(key): build_expansion(group.mapped_input)
            for key, group in dag.task_group_dict.items()
            if isinstance(group, MappedTaskGroup)
        },
        edge_labels=_edge_labels(dag),
        asset_condition=_asset_condition(dag),
        partition_rules=dag.timetable.build_rules() if isinstance(dag.timetable, PartitionedAssetTimetable) else (),
        assets=_declared_assets(dag),
        alias_groups=find_alias_groups(_named_assets(dag)),
        asset_watchers=build_watchers(_named_assets(dag), load_class, file),
        run_callbacks=tuple(kind.value for kind, name in _RUN_CALLBACKS.items() if dag.__dict__.get(name)),
        **listeners,
        **_latest_end(dag, fields.encode_fields(fields.DAG_FIELDS, dag)),
    )
    _check_storable(dag, spec)
    return ParsedDag(spec=spec, spec_hash=hash_spec(spec))


_encoder = msgspec.json.Encoder()


def _check_storable(dag: DAG, spec: DagSpec) -> None:
    """Raise ValueError, with the DAG, the task and the argument, for a text or number that no database stores. One pass in C; only a doubtful spec is read field by field."""
    try:
        if b"\\u0000" not in _encoder.encode(spec):
            return
    except (UnicodeEncodeError, OverflowError):
        pass
    subjects = [
        *((f"task {task.task_id!r}: ", task) for task in spec.tasks),
        ("", msgspec.structs.replace(spec, tasks=())),
    ]
    for subject, part in subjects:
        if (fault := find_message_fault(part, _JSON_FIELDS_OF_SPEC)) is not None:
            raise ValueError(
                f"DAG {dag.dag_id!r}{format_location(dag._location)}: {subject}{escape_unstorable(fault)}; leave it out"
            )


def _timetable_ref(dag: DAG) -> TimetableRef:
    ref = build_timetable_ref(dag.timetable)
    if not excludes_scheduled_runs(dag.allowed_run_types, dag.timetable):
        return ref
    dag.warn(say_unchecked("schedule_runs_only_by_assets"))
    return msgspec.structs.replace(ref, can_be_scheduled=False)


def _warn_about_channels(dag: DAG) -> None:
    named = {name for rule in dag.alerts or () for name in rule.to}
    named |= {name for baseline in dag.baselines or () for name in baseline.spec.to}
    if not named:
        return
    from gnomon.ground.config.alert_rules import read_alert_settings  # few DAGs have rules

    try:
        channels = read_alert_settings(current_config().home).channels
    except OptionError:
        return  # services say so when they start
    for name in sorted(named - set(channels)):
        dag.warn(say_unchecked("channel_of_dag_is_missing", name=name))


def _check_calendar(dag: DAG, baseline: Any) -> None:
    """The calendar exists; gnomon.toml becomes an input of the DAG file."""
    from gnomon.authoring.sdk.schedules.named_calendars import calendar  # few DAGs use a calendar

    try:
        calendar(baseline.spec.calendar)
    except OptionError as error:
        raise ValueError(f"DAG {dag.dag_id!r}: {baseline!r}: {error}") from None


def _check_baselines(dag: DAG) -> None:
    for baseline in dag.baselines or ():
        if baseline.spec.calendar:
            _check_calendar(dag, baseline)
        for task_id in baseline.spec.of:
            if task_id not in dag.task_dict:
                matches = find_close_matches(task_id, dag.task_dict)
                remedy = f"did you mean {matches[0]!r}?" if matches else "name tasks of this DAG"
                raise ValueError(
                    f"DAG {dag.dag_id!r}: {baseline!r} names task {task_id!r}, which it does not have; {remedy}"
                )


def _asset_condition(dag: DAG) -> AssetCondition | None:
    condition = dag.timetable.asset_condition if hasattr(dag.timetable, "asset_condition") else None
    return to_condition(condition) if isinstance(condition, BaseAsset) else None


def _declared_assets(dag: DAG) -> tuple[AssetDeclaration, ...]:
    values = _named_assets(dag)
    if not values:
        return ()
    return declare_assets(values, f"DAG {dag.dag_id!r}{format_location(dag._location)}")


def _named_assets(dag: DAG) -> list[Any]:
    """Return the schedule by assets, the inlets and the outlets."""
    values = [getattr(dag.timetable, "asset_condition", None)]
    for task in dag.tasks:
        values += [*task.inlets, *task.outlets]
    return [value for value in values if value is not None]


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


def _task_spec(
    task: BaseOperator, effective_priority: int, load_class: LoadClass, file: str, plugin_links: PluginLinks
) -> TaskSpec:
    group = task.task_group
    links = describe_links(task, plugin_links)
    is_sensor = issubclass(task.operator_class, BaseSensorOperator)
    return TaskSpec(
        operator=task.operator_name,
        upstream=tuple(sorted(task.upstream_task_ids)),
        group=group.group_id if group is not None else None,
        effective_priority=effective_priority,
        weight_rule=_weight_rule(task),
        runs_code=needs_process(task) or any(link.static_url is None for link in links),
        extra_links=links,
        runs_code_at_deferral_end=handles_task_end(task),
        has_failure_callbacks=any(task.__dict__.get(name) for name in _FAILURE_CALLBACKS),
        is_setup=task.is_setup,
        is_teardown=task.is_teardown,
        on_failure_fail_dagrun=task.on_failure_fail_dagrun,
        start_wait=build_start_wait(task, load_class, file),
        returns_dag_result=task.returns_dag_result,
        display_name=converters.to_text(task.__dict__.get("task_display_name")),
        depends_on=encode_dependencies(task._depends_on),
        inlets=to_leaves(task.inlets),
        outlets=to_leaves(task.outlets),
        is_sensor=is_sensor,
        soft_fail=is_sensor and any(read_argument(task, name) for name in ("soft_fail", "never_fail")),
        triggers_dag=_find_triggered_dag(task),
        waits_for=find_sensor_waits(task),
        clears=find_cleared_task(task),
        expansion=build_expansion(cast("Any", task).mapped_input) if task.is_mapped else None,
        **fields.encode_fields(fields.OPERATOR_FIELDS, task),
    )


def _find_triggered_dag(task: Any) -> str | None:
    source = task.partial_kwargs if isinstance(task, MappedOperator) else task.__dict__
    dag_id = source.get("trigger_dag_id")
    return dag_id if isinstance(dag_id, str) and "{{" not in dag_id and "{%" not in dag_id else None


def read_argument(task: Any, name: str) -> Any:
    """Return an argument of the operator class: an attribute, or for a mapped task what all instances share, else the default."""
    if not isinstance(task, MappedOperator):
        return getattr(task, name)
    if name in task.mapped_input.value:
        warn_about_task(task, say_unchecked("argument_differs_between_instances", name=name))
    return task.partial_kwargs.get(name, False)


def _weight_rule(task: BaseOperator) -> str:
    rule = task.__dict__["weight_rule"]
    if isinstance(rule, str):
        return str(rule)
    kind = rule if isinstance(rule, type) else type(rule)
    return f"{kind.__module__}.{kind.__qualname__}"


def needs_process(task: BaseOperator) -> bool:
    """Return whether the task needs a process: its class executes something, or it has callbacks, hooks or an outlet to look up."""
    marked = find_cleared_task(task)
    if marked is not None and marked.dag_id is None:
        return True  # only a process renders its fields
    return (
        task.runs_code
        or any(task.__dict__.get(name) for name in _CALLBACKS)
        or any(isinstance(outlet, AssetRef) for outlet in task.outlets)
    )


def handles_task_end(task: BaseOperator) -> bool:
    """Return whether author code runs when a trigger ends the task: callbacks, or an own `resume_execution`."""
    own = task.operator_class.resume_execution.__module__
    return not own.startswith("gnomon.") or any(task.__dict__.get(name) for name in (*_END_CALLBACKS, "email"))


def _param_specs(dag: DAG) -> dict[str, ParamSpec]:
    return {
        name: ParamSpec(
            default=param.value if param.has_value else None,
            required=not param.has_value,
            schema=_jsonable_schema(dag, name, param.schema),
            description=param.description,
        )
        for name, param in dag.params.items_as_params()
    }


def _jsonable_schema(dag: DAG, name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema as JSON stores it: keys are text. Raises ValueError for a number that JSON does not have."""
    try:
        return dict(to_plain_json(_text_keys(schema)))
    except ValueError as error:
        raise ValueError(
            f"DAG {dag.dag_id!r}{format_location(dag._location)}: the schema of param {name!r}: {error}; leave it out"
        ) from None


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
    for placed in (*plain.get("assets", ()), *plain.get("asset_watchers", ())):
        placed.pop("place", None)
    timetable = plain["timetable"]
    timetable.pop("summary", None)
    timetable.pop("description", None)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:32]


PRIORITY_MAX = 2**31 - 1


def compute_priorities(order: Sequence[BaseOperator]) -> dict[str, int]:
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
            total = compute_strategy_weight(task, rule)
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
