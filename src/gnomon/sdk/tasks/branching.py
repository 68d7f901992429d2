"""Skipping tasks of the same run: what branches and short circuits do when they have decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.errors.authoring import AirflowException, DownstreamTasksSkipped
from gnomon.sdk.arguments.code_location import format_location
from gnomon.sdk.tasks.operator import BaseOperator

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import DagNode

XCOM_SKIPMIXIN_KEY = "skipmixin_key"
XCOM_SKIPMIXIN_SKIPPED = "skipped"
XCOM_SKIPMIXIN_FOLLOWED = "followed"


class SkipMixin:
    """Can skip tasks. The decision is kept as an XCom; skipping ends the task by raising DownstreamTasksSkipped."""

    def skip(self, *args: Any, ti: Any = None, tasks: Iterable[Any] | None = None, **kwargs: Any) -> None:
        """These tasks are skipped. Takes `skip(ti, tasks)` and, as in Airflow 2, `skip(dag_run, execution_date, tasks)`."""
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
        """Direct downstream tasks are skipped unless they are named, or come after a task that is."""
        task: Any = ti.task
        skipped, followed = split_downstream(task, branch_task_ids)
        if not task.downstream_task_ids:
            return
        ti.xcom_push(key=XCOM_SKIPMIXIN_KEY, value={XCOM_SKIPMIXIN_FOLLOWED: followed})
        if skipped:
            raise DownstreamTasksSkipped(tasks=skipped)


def short_circuit(task: Any, condition: Any, context: Any) -> Any:
    """The condition; when it is false, what comes after the task is skipped.

    All tasks at any distance with `ignore_downstream_trigger_rules`; without, the direct ones, and trigger rules decide
    about the rest.
    """
    if not condition and task.downstream_task_ids:
        after = task.get_flat_relatives() if task.ignore_downstream_trigger_rules else task.downstream_list
        task.skip(ti=context["ti"], tasks=after)
    return condition


def split_downstream(task: BaseOperator, chosen: str | Iterable[str] | None) -> tuple[list[str], list[str]]:
    """(skipped, followed): the direct downstream tasks of a branch, by what it chose."""
    ids = check_chosen_ids(task, chosen)
    reached = set(ids)
    for task_id in ids:
        reached |= task.dag.get_task(task_id).get_flat_relative_ids(upstream=False)
    direct = [one.task_id for one in task.downstream_list]
    return [one for one in direct if one not in reached], [one for one in direct if one in reached]


def check_chosen_ids(task: BaseOperator, chosen: Any) -> list[str]:
    """The task ids that a branch chose, checked; AirflowException for anything that is no task of the DAG."""
    if chosen is None:
        return []
    ids = [chosen] if isinstance(chosen, str) else chosen
    if not isinstance(ids, Iterable) or isinstance(ids, dict | bytes):
        raise AirflowException(
            f"Branch {task.task_id!r}{format_location(task._location)} returned {chosen!r} ({type(chosen).__name__}). "
            "It must return a task id, a list of task ids, or None."
        )
    ids = list(ids)
    wrong = [one for one in ids if not isinstance(one, str) or not task.dag.has_task(one)]
    if wrong:
        raise AirflowException(
            f"Branch {task.task_id!r}{format_location(task._location)} returned {', '.join(map(repr, wrong))}, which DAG "
            f"{task.dag_id!r} does not have. Its direct downstream tasks: {', '.join(sorted(task.downstream_task_ids))}."
        )
    return ids


def expand_group_ids(dag: DagNode, chosen: Any) -> Any:
    """The choice with each group id replaced by the ids of the group's first tasks."""
    if chosen is None or not isinstance(chosen, str | Sequence | set | frozenset):
        return chosen
    groups = dag.task_group_dict
    out: list[Any] = []
    for one in [chosen] if isinstance(chosen, str) else chosen:
        if one in groups and not dag.has_task(one):
            out.extend(root.task_id for root in groups[one].roots)
        else:
            out.append(one)
    return out


__all__ = ["BaseBranchOperator", "BranchMixIn", "SkipMixin"]


class BranchMixIn(SkipMixin):
    """Can follow some of its downstream tasks and skip the others."""

    def do_branch(self, context: Any, branches_to_execute: str | Iterable[str] | None) -> Any:
        """Direct downstream tasks that were not chosen and do not come after a chosen one are skipped."""
        task: Any = self
        self.skip_all_except(context["ti"], expand_group_ids(task.dag, branches_to_execute))
        return branches_to_execute


class BaseBranchOperator(BaseOperator, BranchMixIn):
    """A branch: write `choose_branch(context)`."""

    inherits_from_skipmixin = True

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        """The id of the task (or group) to follow, a list of them, or None for none."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no choose_branch().")

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, self.choose_branch(context))
