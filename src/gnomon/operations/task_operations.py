"""Tasks of a DAG and their instances in a run: lists, clearing, marking, links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.actions.run_changes import clear_instances, mark_instances
from gnomon.errors.product import UserError
from gnomon.model.accounts import Role
from gnomon.model.records import DagRecord, RunRecord
from gnomon.operations.changed_instances import (
    CLEARED,
    InstanceChange,
    RowToMark,
    build_rows_to_mark,
    read_instance_change,
)
from gnomon.operations.marked_clears import clear_marked, find_marked
from gnomon.operations.operation import operation
from gnomon.operations.operation_scope import OperationScope
from gnomon.report.listings.dag_list import TaskSummary, build_task_rows, find_dag
from gnomon.report.listings.extra_links import find_extra_links
from gnomon.report.listings.run_list import TaskInstanceRow, find_run, find_spec_of_run, list_task_instances
from gnomon.report.listings.task_selection import Act, list_cleared_by_mark, select_instances, split_instance_names
from gnomon.store import Transaction

MARKS = ("success", "failed", "skipped")
"""The states that a task instance can be marked with."""


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link; `url` is None until an attempt of the task has given one."""

    name: str
    url: str | None


@operation("tasks.list", "read", "task")
def list_tasks(scope: OperationScope, dag_id: str) -> list[TaskSummary]:
    """The tasks of a DAG in topological order."""
    with scope.db.read() as tx:
        return build_task_rows(find_dag(tx, dag_id).spec.tasks)


@operation("tasks.ids_of_run", "read", "task instance")
def list_task_ids(scope: OperationScope, dag_id: str, run_id: str) -> list[str]:
    """The ids of the tasks of the version of the DAG that the run uses, in topological order."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        return [task.task_id for task in find_spec_of_run(tx, dag, find_run(tx, dag, run_id)).tasks]


@operation("tasks.states", "read", "task instance")
def list_states(scope: OperationScope, dag_id: str, run_id: str) -> list[TaskInstanceRow]:
    """All task instances of a run."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        rows = list_task_instances(tx, dag, find_run(tx, dag, run_id))
        return scope.hide_names(tx, rows)


@operation("tasks.select", "read", "task instance")
def select_task_instances(
    scope: OperationScope, dag_id: str, run_id: str, names: list[str] | None = None, matched: list[str] | None = None, upstream: bool = False, downstream: bool = False,
    map_index: int | None = None, only_failed: bool = False,
) -> list[TaskInstanceRow]:  # fmt: skip
    """The task instances that a clear would change: with what is named, its setups and teardowns; then those of other DAGs that markers among them name.

    `names`: task ids, or names of instances such as `load[1]`. `matched`: ids of further tasks. `map_index`: of the names without one, and of the
    further tasks, only these instances. `upstream` and `downstream` add the instances above and below.
    """
    with scope.db.read() as tx:
        dag, run, rows = _select(scope, tx, dag_id, run_id, Act.CLEAR, names, matched, upstream, downstream, map_index, only_failed)
        marked = find_marked(scope, tx, dag, run, rows, Role.VIEWER, only_failed=only_failed)
        return [*rows, *scope.hide_names(tx, [row for one in marked for row in one.rows])]


@operation("tasks.clear", "edit", "task instance")
def clear_tasks(
    scope: OperationScope, dag_id: str, run_id: str, names: list[str] | None = None, matched: list[str] | None = None, upstream: bool = False, downstream: bool = False,
    map_index: int | None = None, only_failed: bool = False, is_newest_wanted: bool | None = None,
) -> InstanceChange:  # fmt: skip
    """Run tasks of a run again. The arguments are those of `tasks.select`, and `is_newest_wanted` of `runs.clear`."""
    with scope.db.read() as tx:
        dag, run, rows = _select(scope, tx, dag_id, run_id, Act.CLEAR, names, matched, upstream, downstream, map_index, only_failed)
        marked = find_marked(scope, tx, dag, run, rows, Role.USER, only_failed=only_failed)
    if not rows:
        return InstanceChange([], [], None)
    answer = clear_instances(scope.actor, scope.db, dag, run, rows, only_failed=only_failed, is_newest_wanted=is_newest_wanted)
    return clear_marked(scope, read_instance_change(scope, dag, run, rows, answer), marked, is_newest_wanted=is_newest_wanted)


@operation("tasks.select_to_mark", "read", "task instance")
def select_to_mark(
    scope: OperationScope, dag_id: str, run_id: str, state: str, names: list[str] | None = None, matched: list[str] | None = None, upstream: bool = False,
    downstream: bool = False, map_index: int | None = None,
) -> list[RowToMark]:  # fmt: skip
    """The task instances that a mark would change: the selected ones, and those that failed because of them and would run again.

    Teardowns below a named task are left to run.
    """
    _check_mark(state)
    with scope.db.read() as tx:
        dag, run, rows = _select(scope, tx, dag_id, run_id, Act.MARK, names, matched, upstream, downstream, map_index, False)
        cleared = scope.hide_names(tx, list_cleared_by_mark(tx, dag, run, rows, state))
    return [*build_rows_to_mark(rows, lambda _: state), *build_rows_to_mark(cleared, lambda _: CLEARED)]


@operation("tasks.mark", "edit", "task instance")
def mark_tasks(
    scope: OperationScope, dag_id: str, run_id: str, state: str, names: list[str] | None = None, matched: list[str] | None = None, upstream: bool = False,
    downstream: bool = False, map_index: int | None = None,
) -> InstanceChange:  # fmt: skip
    """Set tasks of a run to a final state; their running attempts are stopped. What failed below them runs again."""
    _check_mark(state)
    with scope.db.read() as tx:
        dag, run, rows = _select(scope, tx, dag_id, run_id, Act.MARK, names, matched, upstream, downstream, map_index, False)
        cleared = scope.hide_names(tx, list_cleared_by_mark(tx, dag, run, rows, state))
    if not rows:
        return InstanceChange([], [], None)
    return read_instance_change(scope, dag, run, [*rows, *cleared], mark_instances(scope.actor, scope.db, dag, run, rows, state))


@operation("tasks.links", "read", "task instance")
def list_links(scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int) -> list[LinkRow]:
    """The links of a task instance into other systems."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        found = find_extra_links(tx, dag, find_run(tx, dag, run_id), task_id, map_index)
    return [LinkRow(name, url) for name, url in found.items()]


def _select(
    scope: OperationScope, tx: Transaction, dag_id: str, run_id: str, act: Act, names: list[str] | None, matched: list[str] | None, upstream: bool, downstream: bool,
    map_index: int | None, only_failed: bool,
) -> tuple[DagRecord, RunRecord, list[TaskInstanceRow]]:  # fmt: skip
    dag = find_dag(tx, dag_id)
    run = find_run(tx, dag, run_id)
    named = split_instance_names(names or [], map_index)
    others = {task_id: None if map_index is None else {map_index} for task_id in matched or () if task_id not in named}
    if not named and not others:
        raise UserError("name at least one task")
    rows = select_instances(tx, dag, run, {**named, **others}, upstream=upstream, downstream=downstream, only_failed=only_failed, act=act)
    if not only_failed:
        _require_indices(rows, named, run_id)
    if not rows and map_index is not None and not only_failed:
        raise UserError(f"none of these tasks has map index {map_index} in run {run_id!r}; see `gnomon tasks states`")
    return dag, run, scope.hide_names(tx, rows)


def _check_mark(state: str) -> None:
    if state not in MARKS:
        raise UserError(f"a task cannot be marked {state!r}; give {', '.join(MARKS)}")


def _require_indices(rows: list[TaskInstanceRow], named: Mapping[str, frozenset[int] | None], run_id: str) -> None:
    found = {(row.task_id, row.map_index) for row in rows}
    for task_id, indices in named.items():
        missing = sorted(index for index in indices or () if (task_id, index) not in found)
        if missing:
            raise UserError(f"task {task_id!r} has no map index {missing[0]} in run {run_id!r}; see `gnomon tasks states`")
