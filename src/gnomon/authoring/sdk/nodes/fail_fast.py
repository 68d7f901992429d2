"""The trigger rules that a DAG with `fail_fast` allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule
from gnomon.model.errors.authoring import FailFastDagInvalidTriggerRule

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode

_ALLOWED = (TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS)


def check_trigger_rule(dag: DagNode, task: TaskNode) -> None:
    """Raise FailFastDagInvalidTriggerRule for a task with another rule in a DAG with `fail_fast`."""
    if dag.fail_fast and TriggerRule(task.trigger_rule) not in _ALLOWED:
        raise FailFastDagInvalidTriggerRule(
            f"DAG {dag.dag_id!r} has fail_fast=True, and task {task.task_id!r}{format_location(task._location)} has trigger_rule="
            f"{str(task.trigger_rule)!r}. Use all_success there, or remove fail_fast."
        )
