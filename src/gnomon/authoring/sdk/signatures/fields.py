"""The table of all arguments of operators, sensors, DAGs and task groups.

A row has the name, the default (a value, REQUIRED, or the option that gives it), the check of the value,
the older names, and the field of TaskSpec or DagSpec that it fills. A row without such a field is used by workers only.
`tests/unit/authoring/sdk/test_fields.py` compares the table with the constructors.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.authoring.sdk.arguments import converters, option_defaults
from gnomon.authoring.sdk.arguments.depends_on import as_dependencies, encode_dependencies
from gnomon.authoring.sdk.arguments.executor_config import as_executor_config, encode_executor_config
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.resources import as_resources
from gnomon.authoring.sdk.arguments.run_types import as_run_types, encode_run_types
from gnomon.authoring.sdk.signatures.deadline_argument import as_deadlines, encode_deadlines
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

Converter = Callable[[str, Any], Any]
Encoder = Callable[[Any], Any]


class RequiredMark:
    """The type of REQUIRED: the argument has no default."""


class OptionDefault(NamedTuple):
    """A default that an option of this installation gives."""

    section: str
    key: str
    read: Callable[[str, str], Any] = option_defaults.read_text

    def value(self) -> Any:
        """Return the current value of the option."""
        return self.read(self.section, self.key)


class ArgumentField(NamedTuple):
    """One argument."""

    name: str
    default: Any = None
    check: Converter | None = None
    old_names: tuple[str, ...] = ()
    """The names of the argument in older versions of Airflow."""
    spec: str | None = None
    """The field of TaskSpec or DagSpec; None for an argument that only workers use."""
    encode: Encoder | None = None
    no_effect_reason: str | None = None
    """The code of the sentence that says why the argument has no effect; the DAG gets it as a warning."""


REQUIRED = RequiredMark()
NOT_SHOWN = "only_doc_md_is_shown"
NO_DRAWING = "page_draws_groups_itself"


def _read_seconds(section: str, key: str) -> dt.timedelta | None:
    text = option_defaults.read_text(section, key)
    return dt.timedelta(seconds=float(text)) if text else None


def _as_alerts(name: str, value: Any) -> Any:
    """Import the module of alerts, which loads msgspec, only for a DAG that has rules."""
    if value is None:
        return []
    from gnomon.authoring.sdk.arguments.alert_rules import as_alerts

    return as_alerts(name, value)


def _as_baselines(name: str, value: Any) -> Any:
    """As `_as_alerts`."""
    if value is None:
        return []
    from gnomon.authoring.sdk.arguments.baselines import as_baselines

    return as_baselines(name, value)


def _encode_baselines(baselines: Any) -> Any:
    if not baselines:
        return ()
    from gnomon.authoring.sdk.arguments.baselines import encode_baselines  # as in _as_alerts

    return encode_baselines(baselines)


def _encode_alerts(alerts: Any) -> Any:
    if not alerts:
        return ()
    from gnomon.authoring.sdk.arguments.alert_rules import encode_alerts  # as in _as_alerts

    return encode_alerts(alerts)


OPERATOR_FIELDS: tuple[ArgumentField, ...] = (
    ArgumentField("task_id", REQUIRED, spec="task_id", encode=str),
    ArgumentField("owner", OptionDefault("operators", "default_owner"), converters.as_name, spec="owner", encode=str),
    ArgumentField("email", None, converters.as_texts),
    ArgumentField("email_on_retry", OptionDefault("email", "default_email_on_retry", option_defaults.read_boolean)),
    ArgumentField("email_on_failure", OptionDefault("email", "default_email_on_failure", option_defaults.read_boolean)),
    ArgumentField(
        "retries",
        OptionDefault("core", "default_task_retries", option_defaults.read_integer),
        converters.as_retries,
        spec="retries",
        encode=lambda value: converters.as_retries("retries", value),
    ),
    ArgumentField(
        "retry_delay",
        OptionDefault("core", "default_task_retry_delay", _read_seconds),
        converters.as_span,
        spec="retry_delay_s",
        encode=lambda value: converters.to_seconds(value) or 0.0,
    ),
    ArgumentField(
        "retry_exponential_backoff",
        0,
        converters.as_backoff,
        spec="retry_exponential_backoff",
        encode=lambda value: converters.as_backoff("retry_exponential_backoff", value),
    ),
    ArgumentField("max_retry_delay", None, converters.as_span, spec="max_retry_delay_s", encode=converters.to_seconds),
    ArgumentField("retry_policy", None, converters.as_retry_policy),
    ArgumentField(
        "restartable",
        OptionDefault("core", "default_task_restartable", option_defaults.read_boolean),
        converters.as_flag,
        spec="restartable",
        encode=bool,
    ),
    ArgumentField("start_date", None, converters.as_moment, spec="start_at", encode=converters.to_instant_or_none),
    ArgumentField("end_date", None, converters.as_moment, spec="end_at", encode=converters.to_instant_or_none),
    ArgumentField("depends_on_past", False, converters.as_flag, spec="depends_on_past", encode=bool),
    ArgumentField(
        "ignore_first_depends_on_past",
        OptionDefault("scheduler", "ignore_first_depends_on_past_by_default", option_defaults.read_boolean),
        converters.as_flag,
        spec="ignore_first_depends_on_past",
        encode=bool,
    ),
    ArgumentField(
        "wait_for_past_depends_before_skipping",
        False,
        converters.as_flag,
        spec="wait_for_past_depends_before_skipping",
        encode=bool,
    ),
    ArgumentField("wait_for_downstream", False, converters.as_flag, spec="wait_for_downstream", encode=bool),
    ArgumentField("depends_on", None, as_dependencies),
    ArgumentField("dag"),
    ArgumentField("params", None, converters.as_named_values),
    ArgumentField("default_args", None, converters.as_named_values),
    ArgumentField("priority_weight", 1, converters.as_weight, spec="priority_weight", encode=int),
    ArgumentField("weight_rule", OptionDefault("core", "default_task_weight_rule"), converters.as_weight_rule),
    ArgumentField("queue", OptionDefault("operators", "default_queue"), converters.as_name, spec="queue", encode=str),
    ArgumentField(
        "pool", "default_pool", converters.as_pool, spec="pool", encode=lambda value: str(value or "default_pool")
    ),
    ArgumentField(
        "pool_slots",
        1,
        converters.as_slots,
        spec="pool_slots",
        encode=lambda value: converters.as_slots("pool_slots", value),
    ),
    ArgumentField(
        "execution_timeout",
        OptionDefault("core", "default_task_execution_timeout", _read_seconds),
        converters.as_timedelta,
        spec="execution_timeout_s",
        encode=converters.to_seconds,
    ),
    ArgumentField(
        "expected_duration", None, converters.as_span, spec="expected_duration_s", encode=converters.to_seconds
    ),
    ArgumentField("on_execute_callback"),
    ArgumentField("on_failure_callback"),
    ArgumentField("on_success_callback"),
    ArgumentField("on_retry_callback"),
    ArgumentField("on_skipped_callback"),
    ArgumentField("pre_execute", None, converters.as_function),
    ArgumentField("post_execute", None, converters.as_function),
    ArgumentField(
        "trigger_rule",
        "all_success",
        converters.as_trigger_rule,
        spec="trigger_rule",
        encode=lambda value: str(converters.as_trigger_rule("trigger_rule", value)),
    ),
    ArgumentField("resources", None, as_resources, no_effect_reason="no_task_is_placed_by_resources"),
    ArgumentField(
        "run_as_user",
        None,
        converters.as_name,
        no_effect_reason="task_runs_as_user_of_worker",
    ),
    ArgumentField("map_index_template", None, converters.as_name),
    ArgumentField(
        "max_active_tis_per_dag", None, converters.as_limit, ("task_concurrency",), spec="max_active_tis_per_dag"
    ),
    ArgumentField("max_active_tis_per_dagrun", None, converters.as_limit, spec="max_active_tis_per_dagrun"),
    ArgumentField("executor", None, converters.as_name, spec="executor", encode=converters.to_text),
    ArgumentField("executor_config", None, as_executor_config, spec="executor_config", encode=encode_executor_config),
    ArgumentField("do_xcom_push", True, converters.as_flag),
    ArgumentField("multiple_outputs", False, converters.as_flag),
    ArgumentField("inlets"),
    ArgumentField("outlets"),
    ArgumentField("task_group"),
    ArgumentField("doc", no_effect_reason=NOT_SHOWN),
    ArgumentField("doc_md", None, converters.as_name, spec="doc_md", encode=converters.to_text),
    ArgumentField("doc_json", no_effect_reason=NOT_SHOWN),
    ArgumentField("doc_yaml", no_effect_reason=NOT_SHOWN),
    ArgumentField("doc_rst", no_effect_reason=NOT_SHOWN),
    ArgumentField("task_display_name", None, converters.as_name),
    ArgumentField("logger_name", None, converters.as_name),
    ArgumentField(
        "allow_nested_operators",
        True,
        converters.as_flag,
        no_effect_reason="operators_may_call_others",
    ),
    ArgumentField("render_template_as_native_obj", None, converters.as_flag),
)

SENSOR_FIELDS: tuple[ArgumentField, ...] = (
    ArgumentField("poke_interval", 60.0, converters.as_given_span),
    ArgumentField(
        "timeout", OptionDefault("sensors", "default_timeout", option_defaults.read_number), converters.as_span
    ),
    ArgumentField("soft_fail", False, converters.as_flag),
    ArgumentField("mode", "poke"),
    ArgumentField("exponential_backoff", False, converters.as_flag),
    ArgumentField("max_wait", None, converters.as_span),
    ArgumentField("silent_fail", False, converters.as_flag),
    ArgumentField("never_fail", False, converters.as_flag),
)

DAG_FIELDS: tuple[ArgumentField, ...] = (
    ArgumentField("dag_id", REQUIRED, spec="dag_id", encode=str),
    ArgumentField("description", None, converters.as_name, spec="description", encode=converters.to_text),
    ArgumentField("schedule", None, old_names=("schedule_interval", "timetable")),
    ArgumentField("start_date", None, converters.as_moment),
    ArgumentField("end_date", None, converters.as_moment, spec="end_at", encode=converters.to_instant_or_none),
    ArgumentField("default_args", None, converters.as_named_values),
    ArgumentField("template_searchpath", None, converters.as_folders),
    ArgumentField("template_undefined", None, converters.as_class),
    ArgumentField("user_defined_macros", None, converters.as_named_values),
    ArgumentField("user_defined_filters", None, converters.as_named_values),
    ArgumentField(
        "max_active_tasks",
        OptionDefault("core", "max_active_tasks_per_dag", option_defaults.read_integer),
        converters.as_limit,
        ("concurrency",),
        spec="max_active_tasks",
        encode=int,
    ),
    ArgumentField(
        "max_active_runs",
        OptionDefault("core", "max_active_runs_per_dag", option_defaults.read_integer),
        converters.as_limit,
        spec="max_active_runs",
        encode=int,
    ),
    ArgumentField(
        "max_consecutive_failed_dag_runs",
        OptionDefault("core", "max_consecutive_failed_dag_runs_per_dag", option_defaults.read_integer),
        converters.as_limit,
        spec="max_consecutive_failed_dag_runs",
        encode=int,
    ),
    ArgumentField("dagrun_timeout", None, converters.as_span, spec="dagrun_timeout_s", encode=converters.to_seconds),
    ArgumentField("deadline", None, as_deadlines, spec="deadlines", encode=encode_deadlines),
    ArgumentField("alerts", None, _as_alerts, spec="alerts", encode=_encode_alerts),
    ArgumentField("baselines", None, _as_baselines, spec="baselines", encode=_encode_baselines),
    ArgumentField("sla_miss_callback", no_effect_reason="slas_are_gone"),
    ArgumentField(
        "catchup",
        OptionDefault("scheduler", "catchup_by_default", option_defaults.read_boolean),
        converters.as_flag,
        spec="catchup",
        encode=bool,
    ),
    ArgumentField("catchup_window", None, converters.as_window, spec="catchup_window_s", encode=converters.to_seconds),
    ArgumentField("misfire", None, converters.as_misfire, spec="misfire"),
    ArgumentField(
        "overlap", "queue", converters.as_overlap, spec="overlap", encode=lambda value: str(value or "queue")
    ),
    ArgumentField(
        "jitter", None, converters.as_window, spec="jitter_s", encode=lambda value: converters.to_seconds(value) or 0.0
    ),
    ArgumentField(
        "depends_on",
        None,
        as_dependencies,
        spec="depends_on",
        encode=lambda value: encode_dependencies(as_dependencies("depends_on", value)),
    ),
    ArgumentField("on_success_callback"),
    ArgumentField("on_failure_callback"),
    ArgumentField("doc_md", None, converters.read_doc, spec="doc_md", encode=converters.to_text),
    ArgumentField("params", None, converters.as_named_values),
    ArgumentField("access_control", no_effect_reason="roles_are_granted"),
    ArgumentField(
        "is_paused_upon_creation",
        None,
        converters.as_flag,
        spec="paused_upon_creation",
        encode=lambda paused: None if paused is None else bool(paused),
    ),
    ArgumentField("jinja_environment_kwargs", None, converters.as_named_values),
    ArgumentField("render_template_as_native_obj", False, converters.as_flag),
    ArgumentField("tags", None, converters.as_tags, spec="tags", encode=lambda tags: tuple(sorted(tags))),
    ArgumentField("owner_links", spec="owner_links", encode=lambda links: dict(links or {})),
    ArgumentField("auto_register", True, converters.as_flag),
    ArgumentField("fail_fast", False, converters.as_flag, old_names=("fail_stop",), spec="fail_fast", encode=bool),
    ArgumentField("allowed_run_types", None, as_run_types, spec="allowed_run_types", encode=encode_run_types),
    ArgumentField("dag_display_name", None, converters.as_name, spec="display_name", encode=converters.to_text),
    ArgumentField(
        "disable_bundle_versioning",
        OptionDefault("dag_processor", "disable_bundle_versioning", option_defaults.read_boolean),
        converters.as_flag,
        spec="disable_bundle_versioning",
        encode=bool,
    ),
    ArgumentField(
        "rerun_with_latest_version",
        OptionDefault("core", "rerun_with_latest_version", option_defaults.read_optional_boolean),
        converters.as_flag,
        spec="rerun_with_latest_version",
        encode=lambda chosen: None if chosen is None else bool(chosen),
    ),
    ArgumentField(
        "attempts_per_child",
        OptionDefault("workers", "attempts_per_child", option_defaults.read_integer),
        converters.as_slots,
        spec="attempts_per_child",
        encode=int,
    ),
    ArgumentField("fresh_import", False, converters.as_flag, spec="fresh_import", encode=bool),
)

TASK_GROUP_FIELDS: tuple[ArgumentField, ...] = (
    ArgumentField("group_id"),
    ArgumentField("prefix_group_id", True),
    ArgumentField("parent_group"),
    ArgumentField("dag"),
    ArgumentField("default_args", None, converters.as_named_values),
    ArgumentField("tooltip", "", no_effect_reason=NO_DRAWING),
    ArgumentField("ui_color", "CornflowerBlue", no_effect_reason=NO_DRAWING),
    ArgumentField("ui_fgcolor", "#000", no_effect_reason=NO_DRAWING),
    ArgumentField("add_suffix_on_collision", False),
    ArgumentField("group_display_name", "", no_effect_reason=NO_DRAWING),
    ArgumentField("doc_md", None, converters.read_doc, no_effect_reason=NO_DRAWING),
)

IGNORED_BY_OPERATOR: dict[str, str] = {
    "provide_context": "",
    "sla": "slas_are_gone",
    "sla_miss_callback": "slas_are_gone",
}
IGNORED_BY_DAG = frozenset({"full_filepath", "default_view", "orientation"})
"""Arguments of Airflow 2 that nothing needs; taken without a word (an operator's may have one)."""

AIRFLOW_2_ARGUMENTS = (*(old for row in DAG_FIELDS for old in row.old_names), *sorted(IGNORED_BY_DAG))
"""The arguments of a DAG that only Airflow 2 takes: Airflow 3 raises TypeError for them. A DAG that has one was written for Airflow 2."""


class Arguments:
    """What is kept of the arguments of one constructor, by the rows of its table."""

    def __init__(self, rows: tuple[ArgumentField, ...]) -> None:
        self._rows = {row.name: (row.default, row.check) for row in rows}

    def kept(self, name: str, value: Any) -> Any:
        """The value, checked; the default of the row where none was given. Raises the TypeError or ValueError of the check."""
        return _kept(name, *self._rows[name], value)


def store_arguments(
    rows: tuple[ArgumentField, ...],
    target: dict[str, Any],
    arguments: Mapping[str, Any],
    defaults: Mapping[str, Any] | None = None,
) -> None:
    """Every row's argument stands in `target`: as given and checked, else that of `defaults`, else its default."""
    for name, default, check, *_ in rows:
        value = arguments[name]
        if value is NOTSET and defaults is not None:
            value = defaults[name]
        elif check is not None or value is NOTSET:  # every task comes by here: most arguments need no call
            value = _kept(name, default, check, value)
        target[name] = value


def _kept(name: str, default: Any, check: Converter | None, value: Any) -> Any:
    if value is NOTSET or (value is None and check is converters.as_limit):
        value = default.value() if isinstance(default, OptionDefault) else default
    # Absent stays absent: only what is there is checked, and what None means something for.
    if check is not None and (value is not None or check in _CONVERTERS_OF_NONE):
        return check(name, value)
    return value


_CONVERTERS_OF_NONE = (
    converters.as_tags,
    converters.as_retries,
    converters.as_backoff,
    converters.as_slots,
    converters.as_weight,
    converters.as_given_span,
    converters.as_trigger_rule,
    as_dependencies,
)
"""Checks for which None is a value."""


def iter_without_effect(rows: tuple[ArgumentField, ...], values: Mapping[str, Any]) -> Iterator[Sentence]:
    """Yield a sentence, `name= has no effect: ...`, for each argument without effect whose value is not its default."""
    for row in rows:
        if row.no_effect_reason is not None:
            value = values[row.name]
            if value is not None and value != row.default and value not in ({}, [], ()):
                yield say_unchecked("argument_is_idle", name=row.name, why=say_unchecked(row.no_effect_reason))


def encode_fields(rows: tuple[ArgumentField, ...], source: Any) -> dict[str, Any]:
    """Return the fields of the spec that these rows fill, from the attributes of the object."""
    return {
        row.spec: row.encode(getattr(source, row.name)) if row.encode else getattr(source, row.name)
        for row in rows
        if row.spec is not None
    }
