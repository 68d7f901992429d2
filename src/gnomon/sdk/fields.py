"""THE table: every argument of operators, sensors, DAGs and groups.

A row says the name, the default (a value, REQUIRED, or the option that gives it), how what authors write is checked,
the other spellings, and into which field of the server's spec it goes. No spec: only the worker needs it.
`tests/unit/sdk/test_fields.py` walks the constructors: an argument without a row, or a row without one, fails.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gnomon.sdk import options, values
from gnomon.sdk.notset import NOTSET
from gnomon.sdk.waits import as_dependencies, dependency_specs

Check = Callable[[str, Any], Any]
Encode = Callable[[Any], Any]


class Required:
    """No default: the author gives it."""


class Option(NamedTuple):
    """A default that this installation's options give."""

    section: str
    key: str
    read: Callable[[str, str], Any] = options.text

    def value(self) -> Any:
        """The option, now."""
        return self.read(self.section, self.key)


class Row(NamedTuple):
    """One argument."""

    name: str
    default: Any = None
    check: Check | None = None
    spellings: tuple[str, ...] = ()
    """The same argument in older files."""
    spec: str | None = None
    """The field of TaskSpec or DagSpec; None: worker only."""
    encode: Encode | None = None
    inert: str | None = None
    """Why giving it has no effect; said as a warning on the DAG."""


REQUIRED = Required()
LATER = "is accepted and has no effect yet"


def _seconds_option(section: str, key: str) -> dt.timedelta | None:
    text = options.text(section, key)
    return dt.timedelta(seconds=float(text)) if text else None


OPERATOR: tuple[Row, ...] = (
    Row("task_id", REQUIRED, spec="task_id", encode=str),
    Row("owner", Option("operators", "default_owner"), spec="owner", encode=str),
    Row("email"),
    Row("email_on_retry", True),
    Row("email_on_failure", True),
    Row("retries", Option("core", "default_task_retries", options.integer), values.as_retries,
        spec="retries", encode=lambda value: values.as_retries("retries", value)),
    Row("retry_delay", Option("core", "default_task_retry_delay", _seconds_option), values.as_span,
        spec="retry_delay_s", encode=lambda value: values.seconds(value) or 0.0),
    Row("retry_exponential_backoff", 0, values.as_backoff, spec="retry_exponential_backoff",
        encode=lambda value: values.as_backoff("retry_exponential_backoff", value)),
    Row("max_retry_delay", None, values.as_span, spec="max_retry_delay_s", encode=values.seconds),
    Row("retry_policy", inert=LATER),
    Row("start_date", None, values.as_moment, spec="start_at", encode=values.instant),
    Row("end_date", None, values.as_moment, spec="end_at", encode=values.instant),
    Row("depends_on_past", False, spec="depends_on_past", encode=bool),
    Row("ignore_first_depends_on_past",
        Option("scheduler", "ignore_first_depends_on_past_by_default", options.boolean),
        spec="ignore_first_depends_on_past", encode=bool),
    Row("wait_for_past_depends_before_skipping", False, inert=LATER),
    Row("wait_for_downstream", False, spec="wait_for_downstream", encode=bool),
    Row("depends_on", None, as_dependencies),
    Row("dag"),
    Row("params"),
    Row("default_args"),
    Row("priority_weight", 1, values.as_integer, spec="priority_weight", encode=int),
    Row("weight_rule", Option("core", "default_task_weight_rule"), values.as_weight_rule),
    Row("queue", Option("operators", "default_queue"), spec="queue", encode=str),
    Row("pool", "default_pool", spec="pool", encode=lambda value: str(value or "default_pool")),
    Row("pool_slots", 1, values.as_slots, spec="pool_slots",
        encode=lambda value: values.as_slots("pool_slots", value)),
    Row("execution_timeout", Option("core", "default_task_execution_timeout", _seconds_option), values.as_timedelta,
        spec="execution_timeout_s", encode=values.seconds),
    Row("on_execute_callback"),
    Row("on_failure_callback"),
    Row("on_success_callback"),
    Row("on_retry_callback"),
    Row("on_skipped_callback"),
    Row("pre_execute"),
    Row("post_execute"),
    Row("trigger_rule", "all_success", values.as_trigger_rule, spec="trigger_rule",
        encode=lambda value: str(values.as_trigger_rule("trigger_rule", value))),
    Row("resources", inert=LATER),
    Row("run_as_user", inert=LATER),
    Row("map_index_template"),
    Row("max_active_tis_per_dag", None, values.as_integer, ("task_concurrency",), spec="max_active_tis_per_dag"),
    Row("max_active_tis_per_dagrun", None, values.as_integer, spec="max_active_tis_per_dagrun"),
    Row("executor", inert=LATER),
    Row("executor_config"),
    Row("do_xcom_push", True),
    Row("multiple_outputs", False),
    Row("inlets"),
    Row("outlets"),
    Row("task_group"),
    Row("doc"),
    Row("doc_md", spec="doc_md", encode=values.text),
    Row("doc_json"),
    Row("doc_yaml"),
    Row("doc_rst"),
    Row("task_display_name", spec="display_name", encode=values.text),
    Row("logger_name"),
    Row("allow_nested_operators", True),
    Row("render_template_as_native_obj"),
)

SENSOR: tuple[Row, ...] = (
    Row("poke_interval", 60.0, values.as_span),
    Row("timeout", Option("sensors", "default_timeout", options.number), values.as_span),
    Row("soft_fail", False),
    Row("mode", "poke"),
    Row("exponential_backoff", False),
    Row("max_wait", None, values.as_span),
    Row("silent_fail", False),
    Row("never_fail", False),
)

DAG: tuple[Row, ...] = (
    Row("dag_id", REQUIRED, spec="dag_id", encode=str),
    Row("description", spec="description", encode=values.text),
    Row("schedule", None, spellings=("schedule_interval", "timetable")),
    Row("start_date", None, values.as_moment),
    Row("end_date", None, values.as_moment, spec="end_at", encode=values.instant),
    Row("default_args"),
    Row("template_searchpath"),
    Row("template_undefined"),
    Row("user_defined_macros"),
    Row("user_defined_filters"),
    Row("max_active_tasks", Option("core", "max_active_tasks_per_dag", options.integer), values.as_integer,
        ("concurrency",), spec="max_active_tasks", encode=int),
    Row("max_active_runs", Option("core", "max_active_runs_per_dag", options.integer), values.as_integer,
        spec="max_active_runs", encode=int),
    Row("max_consecutive_failed_dag_runs",
        Option("core", "max_consecutive_failed_dag_runs_per_dag", options.integer), values.as_integer,
        spec="max_consecutive_failed_dag_runs", encode=int),
    Row("dagrun_timeout", None, values.as_span, spec="dagrun_timeout_s", encode=values.seconds),
    Row("deadline", inert=LATER),
    Row("sla_miss_callback", inert="has no effect: SLAs are gone since Airflow 3"),
    Row("catchup", Option("scheduler", "catchup_by_default", options.boolean), spec="catchup", encode=bool),
    Row("catchup_window", None, values.as_window, spec="catchup_window_s", encode=values.seconds),
    Row("misfire", None, values.as_misfire, spec="misfire"),
    Row("overlap", "queue", values.as_overlap, spec="overlap", encode=lambda value: str(value or "queue")),
    Row("jitter", None, values.as_window, spec="jitter_s", encode=lambda value: values.seconds(value) or 0.0),
    Row("depends_on", None, as_dependencies, spec="depends_on",
        encode=lambda value: dependency_specs(as_dependencies("depends_on", value))),
    Row("on_success_callback"),
    Row("on_failure_callback"),
    Row("doc_md", spec="doc_md", encode=values.text),
    Row("params"),
    Row("access_control"),
    Row("is_paused_upon_creation", spec="paused_upon_creation"),
    Row("jinja_environment_kwargs"),
    Row("render_template_as_native_obj", False),
    Row("tags", None, values.as_tags, spec="tags", encode=lambda tags: tuple(sorted(tags))),
    Row("owner_links"),
    Row("auto_register", True),
    Row("fail_fast", False, spellings=("fail_stop",), spec="fail_fast", encode=bool),
    Row("allowed_run_types", inert=LATER),
    Row("dag_display_name", spec="display_name", encode=values.text),
    Row("disable_bundle_versioning"),
    Row("rerun_with_latest_version"),
    Row("attempts_per_child", Option("workers", "attempts_per_child", options.integer), values.as_slots,
        spec="attempts_per_child", encode=int),
    Row("fresh_import", False, spec="fresh_import", encode=bool),
)

GROUP: tuple[Row, ...] = (
    Row("group_id"),
    Row("prefix_group_id", True),
    Row("parent_group"),
    Row("dag"),
    Row("default_args"),
    Row("tooltip", ""),
    Row("ui_color", "CornflowerBlue"),
    Row("ui_fgcolor", "#000"),
    Row("add_suffix_on_collision", False),
    Row("group_display_name", ""),
    Row("doc_md"),
)

IGNORED_BY_OPERATOR: dict[str, str] = {
    "provide_context": "",
    "sla": "has no effect: SLAs are gone since Airflow 3",
    "sla_miss_callback": "has no effect: SLAs are gone since Airflow 3",
}
IGNORED_BY_DAG = frozenset({"full_filepath", "default_view", "orientation"})
"""Arguments of Airflow 2 that nothing needs; taken without a word (an operator's may have one)."""


class Arguments:
    """What is kept of the arguments of one constructor, by the rows of its table."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self._rows = {row.name: (row.default, row.check) for row in rows}

    def kept(self, name: str, value: Any) -> Any:
        """The value, checked; the default of the row where none was given. Raises the TypeError or ValueError of the check."""
        return _kept(name, *self._rows[name], value)


def keep(rows: tuple[Row, ...], target: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Every row's argument stands in `target`: as given and checked, else its default."""
    for name, default, check, *_ in rows:
        value = given[name]
        if check is not None or value is NOTSET:  # every task comes by here: most arguments need no call
            value = _kept(name, default, check, value)
        target[name] = value


def _kept(name: str, default: Any, check: Check | None, value: Any) -> Any:
    if value is NOTSET:
        value = default.value() if isinstance(default, Option) else default
    # Absent stays absent: only what is there is checked, and what None means something for.
    if check is not None and (value is not None or check in _FOR_NONE):
        return check(name, value)
    return value


_FOR_NONE = (values.as_tags, values.as_retries, values.as_backoff, values.as_slots, as_dependencies)
"""Checks that make something of None."""


def encode(rows: tuple[Row, ...], source: Any) -> dict[str, Any]:
    """The fields of the spec that these rows fill, from the object's attributes."""
    return {
        row.spec: row.encode(getattr(source, row.name)) if row.encode else getattr(source, row.name)
        for row in rows
        if row.spec is not None
    }
