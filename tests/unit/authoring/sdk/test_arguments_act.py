"""Every argument of DAG, BaseOperator, sensor and TaskGroup acts, or the DAG warns of it by its name."""

from __future__ import annotations

import ast
import datetime as dt
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gnomon.author_code.runner.callbacks import run_callbacks
from gnomon.authoring.sdk.arguments import converters
from gnomon.authoring.sdk.arguments.alert_rules import Alert
from gnomon.authoring.sdk.arguments.baselines import Baseline
from gnomon.authoring.sdk.arguments.retry_policies import ExceptionRetryPolicy
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.runtime.callback_definitions import SyncCallback
from gnomon.authoring.sdk.schedules.deadlines import DeadlineAlert, DeadlineReference
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.signatures.fields import ArgumentField
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.after import After
from gnomon.model.sentences import render, say

UNIT = Path(__file__).parents[2]
MOMENT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
KINDS = {
    "BaseOperator": fields.OPERATOR_FIELDS,
    "BaseSensorOperator": fields.SENSOR_FIELDS,
    "DAG": fields.DAG_FIELDS,
    "TaskGroup": fields.TASK_GROUP_FIELDS,
}
SEEN_BY = {
    "BaseOperator": {
        "dag": "authoring/sdk/test_operator.py::test_default_args_of_the_task_win_over_group_and_dag",
        "default_args": "authoring/sdk/test_operator.py::test_default_args_reach_every_level_of_the_constructor_chain",
        "depends_on": "authoring/sdk/test_depends_on.py::test_what_a_dag_waits_for_stands_in_its_spec_and_comes_back_as_it_was_written",
        "do_xcom_push": "author_code/runner/test_run_attempt.py::test_a_returned_value_is_pushed_unless_the_author_does_not_want_it",
        "email": "author_code/runner/test_task_mail.py::test_a_task_that_failed_sends_a_mail_with_the_exception",
        "email_on_failure": "author_code/runner/test_task_mail.py::test_a_retry_and_a_failure_are_mailed_as_the_task_says",
        "email_on_retry": "author_code/runner/test_task_mail.py::test_a_retry_and_a_failure_are_mailed_as_the_task_says",
        "inlets": "authoring/sdk/test_assets.py::test_the_spec_has_outlets_inlets_and_declarations_with_their_line",
        "logger_name": "authoring/sdk/test_arguments_act.py::test_a_task_logs_under_its_logger_name",
        "map_index_template": "author_code/runner/test_mapped_attempts.py::test_map_index_template_is_rendered_after_the_task",
        "multiple_outputs": "authoring/sdk/test_task_decorators.py::test_values_of_other_tasks_are_dependencies_and_arrive",
        "on_execute_callback": "author_code/runner/test_deferral.py::test_hooks_and_callbacks_are_called_as_for_execute",
        "on_failure_callback": "author_code/runner/test_run_attempt.py::test_callbacks_see_what_was_pushed_and_push",
        "on_retry_callback": "authoring/sdk/test_arguments_act.py::test_each_callback_is_called",
        "on_skipped_callback": "authoring/sdk/test_arguments_act.py::test_each_callback_is_called",
        "on_success_callback": "authoring/sdk/test_arguments_act.py::test_each_callback_is_called",
        "outlets": "authoring/sdk/test_assets.py::test_the_spec_has_outlets_inlets_and_declarations_with_their_line",
        "params": "authoring/sdk/test_arguments_act.py::test_params_of_a_task_win_over_those_of_its_dag",
        "post_execute": "authoring/sdk/test_operator.py::test_hooks_given_as_arguments_run",
        "pre_execute": "authoring/sdk/test_operator.py::test_hooks_given_as_arguments_run",
        "render_template_as_native_obj": "authoring/sdk/test_rendering.py::test_native_objects_come_out_as_python",
        "retry_policy": "author_code/runner/test_run_attempt.py::test_a_retry_policy_decides_about_the_next_try",
        "task_display_name": "authoring/sdk/test_task_decorators.py::test_arguments_of_the_task_stand_in_the_decorator_and_can_be_overridden",
        "task_group": "authoring/sdk/test_task_group.py::test_a_task_stands_in_one_group_only",
        "weight_rule": "authoring/sdk/test_dag_spec.py::test_priorities_follow_the_weight_rule",
    },
    "BaseSensorOperator": {
        "exponential_backoff": "authoring/sdk/test_sensor.py::test_backoff_doubles_within_bounds",
        "max_wait": "authoring/sdk/test_sensor.py::test_backoff_doubles_within_bounds",
        "mode": "authoring/sdk/test_sensor.py::test_reschedule_mode_gives_the_slot_back",
        "never_fail": "authoring/sdk/test_sensor.py::test_a_timeout_is_a_skip_when_told_so",
        "poke_interval": "authoring/sdk/test_sensor.py::test_it_pokes_until_the_answer_is_yes",
        "silent_fail": "authoring/sdk/test_sensor.py::test_an_error_is_logged_and_poking_goes_on_under_silent_fail",
        "soft_fail": "authoring/sdk/test_sensor.py::test_a_timeout_is_a_skip_when_told_so",
        "timeout": "authoring/sdk/test_sensor.py::test_it_times_out",
    },
    "DAG": {
        "auto_register": "authoring/sdk/test_dag.py::test_with_blocks_and_decorated_functions_register_themselves",
        "default_args": "authoring/sdk/test_operator.py::test_default_args_reach_every_level_of_the_constructor_chain",
        "jinja_environment_kwargs": "authoring/sdk/test_rendering.py::test_other_marks_can_be_chosen",
        "on_failure_callback": "author_code/runner/test_callback_attempt.py::test_each_callback_of_a_dag_is_in_its_spec_and_is_called_at_its_end_of_the_run",
        "on_success_callback": "author_code/runner/test_callback_attempt.py::test_each_callback_of_a_dag_is_in_its_spec_and_is_called_at_its_end_of_the_run",
        "params": "authoring/sdk/test_dag_spec.py::test_a_spec_says_what_the_author_wrote",
        "render_template_as_native_obj": "authoring/sdk/test_rendering.py::test_native_objects_come_out_as_python",
        "rerun_with_latest_version": "authoring/sdk/test_weight_strategies.py::test_the_choice_of_the_version_of_cleared_runs_is_in_the_spec",
        "schedule": "authoring/sdk/test_dag.py::test_the_schedule_is_taken_under_each_of_its_names",
        "start_date": "authoring/sdk/test_dag_spec.py::test_a_spec_says_what_the_author_wrote",
        "template_searchpath": "authoring/sdk/test_rendering.py::test_files_are_read_from_the_search_path_and_rendered",
        "template_undefined": "authoring/sdk/test_rendering.py::test_an_unknown_name_is_empty_when_the_dag_says_so",
        "user_defined_filters": "authoring/sdk/test_rendering.py::test_macros_and_filters_of_the_dag_are_known",
        "user_defined_macros": "authoring/sdk/test_rendering.py::test_macros_and_filters_of_the_dag_are_known",
    },
    "TaskGroup": {
        "add_suffix_on_collision": "authoring/sdk/test_task_group.py::test_a_group_id_twice_is_refused_unless_a_suffix_is_wanted",
        "dag": "authoring/sdk/test_arguments_act.py::test_a_group_joins_its_dag_and_parent_and_hands_on_default_args",
        "default_args": "authoring/sdk/test_arguments_act.py::test_a_group_joins_its_dag_and_parent_and_hands_on_default_args",
        "group_id": "authoring/sdk/test_task_group.py::test_ids_carry_the_prefixes_of_their_groups",
        "parent_group": "authoring/sdk/test_arguments_act.py::test_a_group_joins_its_dag_and_parent_and_hands_on_default_args",
        "prefix_group_id": "authoring/sdk/test_task_group.py::test_ids_carry_the_prefixes_of_their_groups",
    },
}
"""For arguments that are not in the spec: the test that sees their effect."""
SAMPLES: dict[str, Any] = {
    "dag_id": "other", "task_id": "other", "end_date": MOMENT + dt.timedelta(days=9), "start_date": MOMENT, "retries": 3,
    "retry_delay": dt.timedelta(seconds=7), "retry_exponential_backoff": 3, "max_retry_delay": dt.timedelta(hours=1),
    "ignore_first_depends_on_past": False, "priority_weight": 5, "queue": "big", "pool": "narrow", "pool_slots": 2,
    "execution_timeout": dt.timedelta(minutes=1), "expected_duration": dt.timedelta(minutes=2), "trigger_rule": "all_done", "max_active_tis_per_dag": 2, "max_active_tis_per_dagrun": 3,
    "owner": "ada", "tags": ["a"], "max_active_tasks": 3, "max_active_runs": 2, "max_consecutive_failed_dag_runs": 4,
    "dagrun_timeout": dt.timedelta(hours=2), "catchup_window": dt.timedelta(days=2), "misfire": "latest", "overlap": "skip",
    "jitter": dt.timedelta(seconds=9), "depends_on": After("upstream"), "is_paused_upon_creation": True, "allowed_run_types": ["manual"],
    "attempts_per_child": 4, "resources": {"cpus": 2}, "owner_links": {"ada": "https://example.org"}, "executor_config": {"pod_override": {"spec": {"containers": []}}},
    "access_control": {"role": {"can_read"}}, "allow_nested_operators": False, "restartable": True,
    "alerts": Alert("failure", to="ops"),
    "baselines": Baseline("07:00"),
    "deadline": DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, dt.timedelta(hours=1), SyncCallback(print)),
}  # fmt: skip
"""Values that differ from the default; True for a flag, and a text, where the argument is not here."""


def sample(row: ArgumentField) -> Any:
    return SAMPLES.get(row.name, True if isinstance(row.default, bool) or row.check is converters.as_flag else "a text")


def build(kind: str, **given: Any) -> DAG:
    """A DAG with one task in a group, the argument given to the one of that kind."""
    of = {name: given if name == kind else {} for name in KINDS}
    with DAG(**{"dag_id": "d", "schedule": None, "start_date": MOMENT - dt.timedelta(days=1), **of["DAG"]}) as dag:
        with TaskGroup(**{"group_id": "g", **of["TaskGroup"]}):
            (BaseSensorOperator if kind == "BaseSensorOperator" else BaseOperator)(
                **{"task_id": "t", **of["BaseOperator"], **of["BaseSensorOperator"]}
            )
    return dag


ROWS = [(kind, row) for kind, rows in KINDS.items() for row in rows]


@pytest.mark.parametrize(
    ("kind", "row"), [case for case in ROWS if case[1].no_effect_reason], ids=lambda one: getattr(one, "name", one)
)
def test_an_argument_without_effect_is_a_warning_with_its_name_and_line(kind: str, row: ArgumentField) -> None:
    warned = [
        text
        for text in build(kind, **{row.name: sample(row)}).warnings
        if f"{row.name}= {render(say(row.no_effect_reason))}" in text
    ]
    assert len(warned) == 1
    assert "test_arguments_act.py:" in warned[0]
    assert not any(f"{row.name}=" in text for text in build(kind).warnings), "the default is no reason for a warning"


@pytest.mark.parametrize(
    ("kind", "row"),
    [case for case in ROWS if case[1].spec and not case[1].no_effect_reason],
    ids=lambda one: getattr(one, "name", one),
)
def test_an_argument_of_the_spec_changes_it(kind: str, row: ArgumentField) -> None:
    assert spec_of(build(kind)) != spec_of(build(kind, **{row.name: sample(row)}))


def spec_of(dag: DAG) -> object:
    return msgspec.to_builtins(build_dag_spec(dag, "f.py").spec)


@pytest.mark.parametrize(
    ("kind", "row"),
    [case for case in ROWS if not case[1].spec and not case[1].no_effect_reason],
    ids=lambda one: getattr(one, "name", one),
)
def test_each_other_argument_has_a_test_that_sees_its_effect(kind: str, row: ArgumentField) -> None:
    assert row.name in SEEN_BY[kind], "name a test that sees its effect, or give the row a no_effect_reason"
    file, _, test = SEEN_BY[kind][row.name].partition("::")
    assert test in functions_of(UNIT / file)
    if file != "authoring/sdk/test_arguments_act.py":
        assert row.name in functions_of(UNIT / file)[test], f"{test} does not mention {row.name}"


@cache
def functions_of(path: Path) -> dict[str, str]:
    """The functions of a file with their sources."""
    text = path.read_text()
    lines = text.splitlines()
    return {
        node.name: "\n".join(lines[(node.decorator_list or [node])[0].lineno - 1 : node.end_lineno])
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }


def test_no_argument_is_listed_that_does_not_exist() -> None:
    known = {(kind, row.name) for kind, row in ROWS}
    assert {(kind, name) for kind, names in SEEN_BY.items() for name in names} - known == set()


# ---- effects that no other test sees -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name",
    ["on_execute_callback", "on_success_callback", "on_failure_callback", "on_retry_callback", "on_skipped_callback"],
)
def test_each_callback_is_called(name: str) -> None:
    seen: list[object] = []
    arguments: dict[str, Any] = {name: seen.append}
    run_callbacks(BaseOperator(task_id="t", **arguments), name, "context")
    assert seen == ["context"]


def test_a_task_logs_under_its_logger_name() -> None:
    assert BaseOperator(task_id="t", logger_name="mine").log.name.endswith("mine")


def test_params_of_a_task_win_over_those_of_its_dag() -> None:
    with DAG("d", schedule=None, params={"a": 1, "b": 2}):
        task = BaseOperator(task_id="t", params={"b": 3})
    assert task.params.dump() == {"a": 1, "b": 3}


def test_a_group_joins_its_dag_and_parent_and_hands_on_default_args() -> None:
    dag = DAG("d", schedule=None)
    outer = TaskGroup("outer", dag=dag, default_args={"retries": 2})
    inner = TaskGroup("inner", parent_group=outer)
    task = BaseOperator(task_id="t", task_group=inner)
    assert (dag.task_ids, task.retries) == (["outer.inner.t"], 2)


def test_a_dag_whose_arguments_all_act_has_no_warning() -> None:
    with DAG(
        "d",
        schedule=None,
        start_date=MOMENT,
        on_success_callback=print,
        on_failure_callback=[print],
        deadline=SAMPLES["deadline"],
        rerun_with_latest_version=True,
        disable_bundle_versioning=True,
        default_args={"email": "a@example.org", "email_on_retry": False},
    ) as dag:
        BaseOperator(
            task_id="t",
            inlets=[Asset("a")],
            outlets=[Asset("b")],
            email_on_failure=False,
            retry_policy=ExceptionRetryPolicy([]),
            map_index_template="{{ 1 }}",
        )
    spec_of(dag)
    assert dag.warnings == []
