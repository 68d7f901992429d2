"""The table of arguments is complete, and so is what it encodes."""

from __future__ import annotations

import ast
import datetime as dt
import inspect
import re
import textwrap
from typing import Any

import msgspec
import pytest

from gnomon.authoring.sdk.arguments import converters
from gnomon.authoring.sdk.arguments.alert_rules import Alert
from gnomon.authoring.sdk.arguments.baselines import Baseline
from gnomon.authoring.sdk.arguments.depends_on import as_dependencies
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.resources import Resources, as_resources
from gnomon.authoring.sdk.arguments.retry_policies import ExceptionRetryPolicy
from gnomon.authoring.sdk.arguments.run_types import as_run_types
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule, WeightRule
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.runtime.callback_definitions import SyncCallback
from gnomon.authoring.sdk.schedules.deadlines import DeadlineAlert, DeadlineReference
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.signatures.deadline_argument import as_deadlines
from gnomon.authoring.sdk.signatures.old_arguments import CALLBACKS, TaskArguments
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.after import After
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import UserError
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunType

CONSTRUCTORS = [
    (BaseOperator, fields.OPERATOR_FIELDS),
    (BaseSensorOperator, fields.SENSOR_FIELDS),
    (DAG, fields.DAG_FIELDS),
    (TaskGroup, fields.TASK_GROUP_FIELDS),
]


def arguments(kind: type) -> dict[str, inspect.Parameter]:
    found = inspect.signature(kind.__init__).parameters.values()
    return {one.name: one for one in found if one.name != "self" and one.kind is not one.VAR_KEYWORD}


@pytest.mark.parametrize(("kind", "rows"), CONSTRUCTORS)
def test_every_argument_has_a_row_and_every_row_an_argument(kind: type, rows: tuple[fields.ArgumentField, ...]) -> None:
    assert set(arguments(kind)) == {row.name for row in rows}
    assert len(rows) == len({row.name for row in rows})


@pytest.mark.parametrize(("kind", "rows"), CONSTRUCTORS)
def test_the_default_in_the_signature_is_that_of_the_row(kind: type, rows: tuple[fields.ArgumentField, ...]) -> None:
    given = arguments(kind)
    for row in rows:
        default: Any = given[row.name].default
        if isinstance(row.default, fields.RequiredMark):
            assert default is inspect.Parameter.empty, row.name
        elif isinstance(row.default, fields.OptionDefault):
            assert default is NOTSET, row.name
        else:
            assert default is NOTSET or default == row.default, row.name


MOMENT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
ALERT = DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, dt.timedelta(hours=1), SyncCallback(print))
RULE = Alert("failure", to="ops")
PROMISE = Baseline("07:00")
POLICY = ExceptionRetryPolicy([])
CHECKED: dict[Any, tuple[Any, Any]] = {
    converters.as_backoff: (True, 2.0),
    converters.as_integer: ("3", 3),
    converters.as_misfire: ("latest", "latest"),
    converters.as_moment: (MOMENT.isoformat(), MOMENT),
    converters.as_overlap: ("skip", "skip"),
    converters.as_limit: ("2", 2),
    converters.as_retries: ("2", 2),
    converters.as_slots: ("2", 2),
    converters.as_span: (5, dt.timedelta(seconds=5)),
    converters.as_tags: (["a", "a"], {"a"}),
    converters.as_timedelta: (dt.timedelta(1), dt.timedelta(1)),
    converters.as_trigger_rule: ("all_done", TriggerRule.ALL_DONE),
    converters.as_weight_rule: ("absolute", WeightRule.ABSOLUTE),
    converters.as_window: (5, dt.timedelta(seconds=5)),
    as_dependencies: (After("up"), (After("up"),)),
    as_deadlines: (ALERT, [ALERT]),
    fields._as_alerts: (RULE, [RULE]),
    fields._as_baselines: (PROMISE, [PROMISE]),
    converters.as_retry_policy: (POLICY, POLICY),
    as_resources: ({"cpus": 2}, Resources(cpus=2)),
    as_run_types: (["manual", "scheduled"], frozenset({DagRunType.MANUAL, DagRunType.SCHEDULED})),
    converters.as_weight: ("3", 3),
    converters.as_given_span: (5, dt.timedelta(seconds=5)),
    converters.as_named_values: ({"a": 1}, {"a": 1}),
    converters.as_class: (int, int),
    converters.as_function: (print, print),
    converters.as_folders: (["/a"], ["/a"]),
    converters.as_texts: (["a"], ["a"]),
    converters.as_flag: (True, True),
    converters.as_name: ("name", "name"),
    converters.as_pool: ("name", "name"),
    converters.read_doc: ("# Text", "# Text"),
}
"""What an author may give, and what is kept of it, by check."""
MARK = object()
OTHERWISE: dict[str, tuple[Any, Any]] = {
    "dag_id": ("e", "e"),
    "task_id": ("u", "u"),
    "default_args": ({"retries": 1}, {"retries": 1}),
    "params": ({"p": 1}, {"p": 1}),
    "schedule": ("@daily", "@daily"),
    "mode": ("reschedule", "reschedule"),
    "inlets": (MARK, [MARK]),
    "outlets": ([MARK], [MARK]),
    "executor_config": ({"pod_template_file": "/t"}, {"pod_template_file": "/t"}),
    "owner_links": ({"me": "https://here"}, {"me": "https://here"}),
    "poke_interval": (5, 5.0),
    "timeout": (dt.timedelta(seconds=5), 5.0),
}
"""The same for arguments whose values are used or changed by the constructor itself."""
NAMES = {"depends_on": "_depends_on", "pre_execute": "_pre_execute_hook", "post_execute": "_post_execute_hook"}
"""Where a task keeps an argument that is not kept under its own name."""
NOT_KEPT = {BaseOperator: {"dag", "default_args", "task_group"}}
"""Arguments that only have an effect, or that stand for what is open."""


def made(kind: type, given: dict[str, Any]) -> Any:
    required = {"dag_id": "d"} if kind is DAG else {"task_id": "t"}
    return kind(**{**required, **given})


def kept(kind: type, name: str, made: Any) -> Any:
    value = getattr(made, NAMES.get(name, name) if kind is not DAG else name)
    return value[0] if kind is not DAG and name in CALLBACKS else value  # lists, as in Airflow 3


CASES = [(kind, row) for kind, rows in CONSTRUCTORS[:3] for row in rows if row.name not in NOT_KEPT.get(kind, ())]


@pytest.mark.parametrize(("kind", "row"), CASES, ids=lambda one: getattr(one, "name", None) or one.__name__)
def test_an_argument_is_kept_as_its_row_says(kind: type, row: fields.ArgumentField) -> None:
    given, expected = OTHERWISE.get(row.name) or CHECKED.get(row.check) or (MARK, MARK)
    assert kept(kind, row.name, made(kind, {row.name: given})) == expected


@pytest.mark.parametrize(
    ("kind", "row"),
    [(kind, row) for kind, row in CASES if isinstance(row.default, fields.OptionDefault)],
    ids=lambda one: getattr(one, "name", None) or one.__name__,
)
def test_an_argument_that_is_not_given_is_what_its_option_says(kind: type, row: fields.ArgumentField) -> None:
    assert isinstance(row.default, fields.OptionDefault)
    default: Any = row.default.value() if row.check is None else row.check(row.name, row.default.value())
    assert kept(kind, row.name, made(kind, {})) == (default.total_seconds() if kind is BaseSensorOperator else default)


@pytest.mark.parametrize(
    ("kind", "check"),
    [(kind, row) for kind, row in CASES if row.check in (converters.as_integer, converters.as_span)],
    ids=lambda one: getattr(one, "name", None) or one.__name__,
)
def test_an_argument_that_its_check_refuses_is_named(kind: type, check: fields.ArgumentField) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"'[dt]'.*test_fields.py:\d+.*{check.name} must be"):
        made(kind, {check.name: "soon"})


class OfNoUse:
    """A value that is of no use to any argument that has a type."""

    def __repr__(self) -> str:
        return "of no use"


TAKES_ANYTHING: dict[type, set[str]] = {
    DAG: {"access_control", "sla_miss_callback"},
    BaseOperator: {"inlets", "outlets", "email_on_retry", "email_on_failure", "doc", "doc_json", "doc_yaml", "doc_rst"},
    BaseSensorOperator: set(),
    TaskGroup: {"prefix_group_id", "add_suffix_on_collision"},
}
"""Arguments without effect, those that are lists of any objects, and those of which only the truth counts, as in Airflow."""
WRONG = (OfNoUse(), 7, "x", [OfNoUse()], {1: OfNoUse()}, True, None)


@pytest.mark.parametrize(
    ("kind", "name", "is_mapped"),
    [
        (kind, row.name, is_mapped)
        for kind, rows in CONSTRUCTORS
        for row in rows
        for is_mapped in ((False, True) if kind is BaseOperator else (False,))
    ],
    ids=lambda one: getattr(one, "__name__", None) or str(one),
)
def test_a_value_of_a_wrong_type_is_refused_or_warned_about_with_the_name_of_its_argument(
    kind: type, name: str, is_mapped: bool
) -> None:
    """The file, the DAG and the task are named too. An error may be raised where the argument is given, or when the DAG becomes data."""
    for value in WRONG:
        message = describe(kind, name, value, is_mapped)
        if isinstance(value, OfNoUse) and name not in TAKES_ANYTHING[kind]:
            assert message is not None, f"{name}={value!r} is taken"
        if message is not None:
            assert re.search(rf"\b{name.rstrip('s')}s?\b", message) and "test_fields.py" in message, (
                f"{name}={value!r}: {message}"
            )


def describe(kind: Any, name: str, value: Any, is_mapped: bool) -> str | None:
    """What is said about the argument; None: nothing."""
    try:
        if kind is DAG:
            dag = kind(**{"dag_id": "d", "schedule": None, name: value})
        else:
            with DAG("d", schedule=None) as dag:
                if kind is TaskGroup:
                    kind(**{"group_id": "g", name: value})
                elif is_mapped:
                    kind.partial(**{"task_id": "t", name: value}).expand_kwargs([{}])
                else:
                    kind(**{"task_id": "t", name: value})
        dag.validate()
        build_dag_spec(dag, __file__)
    except (TypeError, ValueError, AirflowException, UserError) as error:
        return str(error)
    return next((warning for warning in dag.warnings if f"{name}=" in warning), None)


def annotated(function: Any) -> set[str]:
    """The attributes of `self` that the function assigns with a type."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return {
        node.target.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)
    }


def test_every_argument_is_an_attribute_with_a_type() -> None:
    assert annotated(DAG.__init__) - {"_location", "airflow_dialect", "warning_sentences"} == {
        row.name for row in fields.DAG_FIELDS
    }
    assert annotated(inspect.unwrap(BaseSensorOperator.__init__)) == {row.name for row in fields.SENSOR_FIELDS}
    names = {NAMES.get(row.name, row.name) for row in fields.OPERATOR_FIELDS} - {"dag", "default_args"}
    assert set(TaskArguments.__annotations__) == names


@pytest.mark.parametrize(("rows", "spec"), [(fields.OPERATOR_FIELDS, TaskSpec), (fields.DAG_FIELDS, DagSpec)])
def test_rows_encode_into_fields_that_the_spec_has(rows: tuple[fields.ArgumentField, ...], spec: type) -> None:
    known = {field.name for field in msgspec.structs.fields(spec)}
    targets = [row.spec for row in rows if row.spec]
    assert set(targets) <= known
    assert len(targets) == len(set(targets))


def test_defaults_come_from_the_options(options: Any) -> None:
    options(
        AIRFLOW__CORE__DEFAULT_TASK_RETRIES="4",
        AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY="7",
        AIRFLOW__OPERATORS__DEFAULT_OWNER="me",
        AIRFLOW__OPERATORS__DEFAULT_QUEUE="fast",
        AIRFLOW__CORE__DEFAULT_TASK_EXECUTION_TIMEOUT="60",
        AIRFLOW__CORE__DEFAULT_TASK_WEIGHT_RULE="absolute",
        AIRFLOW__SENSORS__DEFAULT_TIMEOUT="5",
        AIRFLOW__CORE__MAX_ACTIVE_RUNS_PER_DAG="3",
        AIRFLOW__CORE__MAX_ACTIVE_TASKS_PER_DAG="9",
        AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT="True",
        AIRFLOW__CORE__MAX_CONSECUTIVE_FAILED_DAG_RUNS_PER_DAG="2",
        GNOMON__WORKERS__ATTEMPTS_PER_CHILD="50",
        AIRFLOW__SCHEDULER__IGNORE_FIRST_DEPENDS_ON_PAST_BY_DEFAULT="False",
    )
    with DAG("d") as dag:
        task = BaseSensorOperator(task_id="t")
    assert (task.retries, task.retry_delay.total_seconds(), task.owner, task.queue) == (4, 7, "me", "fast")
    assert task.execution_timeout is not None
    assert task.execution_timeout.total_seconds() == 60
    assert (str(task.weight_rule), task.timeout, task.ignore_first_depends_on_past) == ("absolute", 5, False)
    assert (dag.max_active_runs, dag.max_active_tasks, dag.catchup, dag.max_consecutive_failed_dag_runs) == (
        3,
        9,
        True,
        2,
    )
    assert (dag.attempts_per_child, DAG("e", attempts_per_child=1).attempts_per_child) == (50, 1)


@pytest.mark.parametrize("name", ["max_active_runs", "max_active_tasks", "max_consecutive_failed_dag_runs"])
def test_a_limit_of_a_dag_is_not_negative(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be 0 or more, not -5"):
        DAG("d", schedule=None, **{name: -5})


@pytest.mark.parametrize("name", ["max_active_tis_per_dag", "max_active_tis_per_dagrun"])
def test_a_limit_of_a_task_is_not_negative(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be 0 or more, not -1"):
        BaseOperator(task_id="t", **{name: -1})


def test_a_template_of_map_indices_is_a_text() -> None:
    with pytest.raises(TypeError, match="map_index_template must be text, not 5"):
        BaseOperator(task_id="t", map_index_template=5)


def test_the_name_of_a_pool_is_no_longer_than_one_that_can_exist() -> None:
    assert BaseOperator(task_id="t", pool="p" * 256).pool == "p" * 256
    with pytest.raises(ValueError, match="pool has 257 characters; the name of a pool has at most 256: shorten it"):
        BaseOperator(task_id="t", pool="p" * 257)
