"""Branches and short circuits: tasks that skip other tasks of the same run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import AirflowException, DownstreamTasksSkipped

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode

XCOM_SKIPMIXIN_KEY = "skipmixin_key"
XCOM_SKIPMIXIN_SKIPPED = "skipped"
XCOM_SKIPMIXIN_FOLLOWED = "followed"


class SkipMixin:
    """Skips tasks. The decision is pushed as an XCom; DownstreamTasksSkipped then ends the task."""

    def skip(self, *args: Any, ti: Any = None, tasks: Iterable[Any] | None = None, **kwargs: Any) -> None:
        """Skip `tasks`, except teardown tasks, by raising DownstreamTasksSkipped.

        Call it as `skip(ti, tasks)` or, as in Airflow 2, as `skip(dag_run, execution_date, tasks)`.
        """
        if args and tasks is None:
            tasks = args[-1]
            ti = ti or (args[0] if len(args) == 2 else None)
        ids = [task.task_id for task in tasks or () if not getattr(task, "is_teardown", False)]
        if not ids:
            return
        if ti is not None:
            ti.xcom_push(key=XCOM_SKIPMIXIN_KEY, value={XCOM_SKIPMIXIN_SKIPPED: ids})
        raise DownstreamTasksSkipped(tasks=ids)

    def skip_all_except(self, ti: Any, branch_task_ids: str | Iterable[str] | None) -> None:
        """Skip each direct downstream task that is not in `branch_task_ids` and does not come after a task of `branch_task_ids`."""
        task: Any = ti.task
        skipped, followed = split_downstream(task, branch_task_ids)
        if not task.downstream_task_ids:
            return
        ti.xcom_push(key=XCOM_SKIPMIXIN_KEY, value={XCOM_SKIPMIXIN_FOLLOWED: followed})
        if skipped:
            raise DownstreamTasksSkipped(tasks=skipped)


def short_circuit(task: Any, condition: Any, context: Any) -> Any:
    """Return `condition`; when it is false, skip the tasks after `task`.

    With `ignore_downstream_trigger_rules` all tasks after it are skipped; without, the direct downstream tasks are skipped and
    the trigger rules decide for the other tasks.
    """
    if not condition and task.downstream_task_ids:
        after = task.get_flat_relatives() if task.ignore_downstream_trigger_rules else task.downstream_list
        task.skip(ti=context["ti"], tasks=after)
    return condition


def split_downstream(task: BaseOperator, chosen: str | Iterable[str] | None) -> tuple[list[str], list[str]]:
    """Return the ids of the direct downstream tasks as (skipped, followed), for the chosen ids."""
    ids = check_chosen_ids(task, chosen)
    reached = set(ids)
    for task_id in ids:
        reached |= task.dag.get_task(task_id).get_flat_relative_ids(upstream=False)
    direct = [downstream.task_id for downstream in task.downstream_list]
    return [task_id for task_id in direct if task_id not in reached], [
        task_id for task_id in direct if task_id in reached
    ]


def check_chosen_ids(task: BaseOperator, chosen: Any) -> list[str]:
    """Return the chosen task ids as a list. Raises AirflowException for a value that is not the id of a task of the DAG."""
    if chosen is None:
        return []
    ids = [chosen] if isinstance(chosen, str) else chosen
    if not isinstance(ids, Iterable) or isinstance(ids, dict | bytes):
        raise AirflowException(
            f"Branch {task.task_id!r}{format_location(task._location)} returned {chosen!r} ({type(chosen).__name__}). "
            "It must return a task id, a list of task ids, or None."
        )
    ids = list(ids)
    unknown = [item for item in ids if not isinstance(item, str) or not task.dag.has_task(item)]
    if unknown:
        raise AirflowException(
            f"Branch {task.task_id!r}{format_location(task._location)} returned {', '.join(map(repr, unknown))}, which DAG "
            f"{task.dag_id!r} does not have. Its direct downstream tasks: {', '.join(sorted(task.downstream_task_ids))}."
        )
    return ids


def expand_group_ids(dag: DagNode, chosen: Any) -> Any:
    """Return the chosen ids; each group id is replaced by the ids of the root tasks of the group."""
    if chosen is None or not isinstance(chosen, str | Sequence | set | frozenset):
        return chosen
    groups = dag.task_group_dict
    out: list[Any] = []
    for node_id in [chosen] if isinstance(chosen, str) else chosen:
        if node_id in groups and not dag.has_task(node_id):
            out.extend(root.task_id for root in groups[node_id].roots)
        else:
            out.append(node_id)
    return out


__all__ = ["BaseBranchOperator", "BranchMixIn", "SkipMixin"]


class BranchMixIn(SkipMixin):
    """Follows some of the downstream tasks and skips the others."""

    def do_branch(self, context: Any, branches_to_execute: str | Iterable[str] | None) -> Any:
        """Skip the direct downstream tasks that were not chosen and do not come after a chosen task; return the choice."""
        task: Any = self
        self.skip_all_except(context["ti"], expand_group_ids(task.dag, branches_to_execute))
        return branches_to_execute


class BaseBranchOperator(BaseOperator, BranchMixIn):
    """A branch. A subclass defines `choose_branch(context)`."""

    inherits_from_skipmixin = True

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        """Return the id of the task or group to follow, a list of ids, or None to skip all. Subclasses override it."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no choose_branch().")

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, self.choose_branch(context))
