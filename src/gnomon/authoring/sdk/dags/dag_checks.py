"""Checks of a whole DAG: timetable, params, fail_fast, dependencies on other DAGs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.converters import as_links
from gnomon.authoring.sdk.arguments.params import find_param_fault
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule
from gnomon.authoring.sdk.assets.asset_checks import check_assets, find_timetable_of_times
from gnomon.authoring.sdk.dags.callback_checks import check_callbacks
from gnomon.authoring.sdk.mapping.operator_partial import warn_about_partials
from gnomon.authoring.sdk.members.map_position import list_mapped_groups
from gnomon.authoring.sdk.nodes.fail_fast import check_trigger_rule
from gnomon.authoring.sdk.schedules.author_timetable import (
    check_author_timetable,
    is_author_timetable,
    read_attribute,
    validate_author_timetable,
)
from gnomon.model.after import self_dependency_message
from gnomon.model.errors.authoring import AirflowTimetableInvalid, ParamValidationError
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode


def check_dag(dag: DagNode) -> None:
    """Check that the DAG can be scheduled as written; what is doubtful becomes a warning of the DAG.

    Raises AirflowTimetableInvalid, ParamValidationError, FailFastDagInvalidTriggerRule or ValueError. Each names the DAG and
    its line, and says what to change.
    """
    _check_timetable(dag)
    _check_params(dag)
    _check_links(dag)
    _check_fail_fast(dag)
    _check_setups(dag)
    _check_dependencies(dag)
    check_assets(dag)
    check_callbacks(dag)
    _check_mapping(dag)


def _check_timetable(dag: DagNode) -> None:
    of_times = find_timetable_of_times(dag.timetable)
    try:
        if is_author_timetable(of_times):
            validate_author_timetable(of_times)
            for doubt in check_author_timetable(of_times):
                dag.warn(doubt)
        else:
            of_times.validate()
    except (AirflowTimetableInvalid, ValueError) as error:
        raise AirflowTimetableInvalid(
            f"DAG {dag.dag_id!r}{format_location(dag._location)}: the schedule is not valid. {error}"
        ) from None
    if dag.catchup and _is_scheduled(dag) and find_earliest_start(dag) is None:
        _judge_missing_start(dag)


def _judge_missing_start(dag: DagNode) -> None:
    """As in Airflow 2, where catchup is on if nobody says otherwise, the DAG is for runs that people start; Airflow 3 refuses it."""
    sentence = "catchup=True needs a start_date to begin from"
    if dag.airflow_dialect.number != AIRFLOW_2:
        raise ValueError(f"DAG {dag.dag_id!r}{format_location(dag._location)}: {sentence}. Give the DAG one.")
    dag.warn(say_unchecked("catchup_lacks_start_date"))


def _check_params(dag: DagNode) -> None:
    """As in Airflow, a default that its schema refuses is an error only if the DAG has runs for which nobody can give another value."""
    where = f"DAG {dag.dag_id!r}{format_location(dag._location)}"
    needs_defaults = _is_scheduled(dag) or getattr(dag.timetable, "asset_condition", None) is not None
    for name, param in dag.params.items_as_params():
        if needs_defaults and not param.has_value:
            raise ValueError(
                f"{where}: param {name!r} has no default, so scheduled runs would have no value for it. Give it a default, or the DAG schedule=None."
            )
        if param.has_value and (fault := find_param_fault(param.value)) is not None:
            raise ParamValidationError(f"{where}: the default of param {name!r}: {fault}.")
        fault = param.find_schema_fault() or param.find_default_fault()
        if fault is None:
            continue
        if needs_defaults or param.find_schema_fault() is not None:
            raise ParamValidationError(f"{where}: the default of param {name!r}: {fault}.")
        dag.warn(say_unchecked("default_of_param_is_wrong", name=name, fault=str(fault)))


def _check_links(dag: DagNode) -> None:
    try:
        as_links("owner_links", dag.owner_links)
    except ValueError as error:
        raise ValueError(f"DAG {dag.dag_id!r}{format_location(dag._location)}: {error}") from None


def _check_fail_fast(dag: DagNode) -> None:
    for task in dag.tasks if dag.fail_fast else ():
        if not task.is_teardown:
            check_trigger_rule(dag, task)


def _check_setups(dag: DagNode) -> None:
    for task in dag.tasks:
        for after in task.downstream_list if task.is_setup else ():
            if not after.is_teardown and TriggerRule(after.trigger_rule) is not TriggerRule.ALL_SUCCESS:
                raise ValueError(
                    f"DAG {dag.dag_id!r}: task {after.task_id!r}{format_location(after._location)} comes directly after setup {task.task_id!r} and has "
                    f"trigger_rule={str(after.trigger_rule)!r}. Setup tasks must be followed with trigger rule ALL_SUCCESS. Remove trigger_rule, or put a "
                    "task between the two: a task in the scope of a setup waits for it also when it does not come directly after it."
                )


def _check_dependencies(dag: DagNode) -> None:
    every = [(f"DAG {dag.dag_id!r}{format_location(dag._location)}", after) for after in dag.depends_on]
    every += [
        (f"DAG {dag.dag_id!r}, task {task.task_id!r}{format_location(task._location)}", after)
        for task in dag.tasks
        for after in task._depends_on
    ]
    for where, after in every:
        if after.dag_id == dag.dag_id and not after.back:
            raise ValueError(f"{where}: {self_dependency_message(dag.dag_id)}")
    if every and not _is_scheduled(dag):
        dag.warn(say_unchecked("depends_on_is_idle"))


def _check_mapping(dag: DagNode) -> None:
    warn_about_partials(dag)
    for task in dag.tasks:
        if task.trigger_rule != "always":
            continue
        for group in list_mapped_groups(task):
            if any(hasattr(value, "resolve") for value in group.mapped_input.factors):
                raise ValueError(
                    f"DAG {dag.dag_id!r}: task {task.task_id!r}{format_location(task._location)} has trigger_rule='always'. Task-generated mapping "
                    f"within a mapped task group ({group.group_id!r}) is not allowed with trigger rule 'always'; use another rule, or map over a list "
                    "in the file."
                )


def _is_scheduled(dag: DagNode) -> bool:
    return bool(read_attribute(dag.timetable, "can_be_scheduled", True))


def find_earliest_start(dag: DagNode) -> Any:
    """Return the earliest start date of the DAG and its tasks; None when none of them has a start date."""
    starts = [dag.start_date, *(task.start_date for task in dag.tasks)]
    return min((moment for moment in starts if moment is not None), default=None)
