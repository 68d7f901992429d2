"""Tasks of a DAG and their instances in a run: lists, clearing, marking, links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.changes.actions.run_changes import clear_instances, mark_instances
from gnomon.changes.operations.changed_instances import (
    CLEARED,
    InstanceChange,
    RowToMark,
    build_rows_to_mark,
    read_instance_change,
)
from gnomon.changes.operations.marked_clears import clear_marked, find_marked
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.queries.report.listings.dag_list import TaskSummary, build_task_rows, find_dag
from gnomon.queries.report.listings.extra_links import find_extra_links
from gnomon.queries.report.listings.neighbour_runs import list_runs_to_change
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_run, find_spec_of_run, list_task_instances
from gnomon.queries.report.listings.task_selection import (
    Act,
    list_cleared_by_mark,
    list_group_tasks,
    select_instances,
    split_instance_name,
    split_instance_names,
)
from gnomon.storage.store import Transaction

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
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    names: list[str] | None = None,
    matched: list[str] | None = None,
    upstream: bool = False,
    downstream: bool = False,
    map_index: int | None = None,
    only_failed: bool = False,
) -> list[TaskInstanceRow]:
    """The task instances that a clear would change: with what is named, its setups and teardowns; then those of other DAGs that markers among them name.

    `names`: task ids, or names of instances such as `load[1]`. `matched`: ids of further tasks. `map_index`: of the names without one, and of the
    further tasks, only these instances. `upstream` and `downstream` add the instances above and below.
    """
    with scope.db.read() as tx:
        dag, run, rows = _select(
            scope, tx, dag_id, run_id, Act.CLEAR, names, matched, upstream, downstream, map_index, only_failed
        )
        marked = find_marked(scope, tx, dag, run, rows, Role.VIEWER, only_failed=only_failed)
        return [*rows, *scope.hide_names(tx, [row for run_instances in marked for row in run_instances.rows])]


@operation("tasks.clear", "edit", "task instance")
def clear_tasks(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    names: list[str] | None = None,
    matched: list[str] | None = None,
    upstream: bool = False,
    downstream: bool = False,
    map_index: int | None = None,
    only_failed: bool = False,
    is_newest_wanted: bool | None = None,
) -> InstanceChange:
    """Run tasks of a run again. The arguments are those of `tasks.select`, and `is_newest_wanted` of `runs.clear`."""
    with scope.db.read() as tx:
        dag, run, rows = _select(
            scope, tx, dag_id, run_id, Act.CLEAR, names, matched, upstream, downstream, map_index, only_failed
        )
        marked = find_marked(scope, tx, dag, run, rows, Role.USER, only_failed=only_failed)
    if not rows:
        return InstanceChange([], [], None)
    answer = clear_instances(
        scope.actor, scope.db, dag, run, rows, only_failed=only_failed, is_newest_wanted=is_newest_wanted
    )
    return clear_marked(
        scope, read_instance_change(scope, dag, run, rows, answer), marked, is_newest_wanted=is_newest_wanted
    )


@operation("tasks.select_to_mark", "read", "task instance")
def select_to_mark(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    state: str,
    names: list[str] | None = None,
    matched: list[str] | None = None,
    upstream: bool = False,
    downstream: bool = False,
    map_index: int | None = None,
    past: bool = False,
    future: bool = False,
    group: str | None = None,
) -> list[RowToMark]:
    """The task instances that a mark would change: the selected ones that are not in the state, and those that failed because of them and would run again.

    Teardowns below a named task are left to run. `past` and `future` add the same tasks in the runs before and after this one. `group`: all tasks of
    this task group and of the groups in it, instead of names.
    """
    with scope.db.read() as tx:
        marks = _select_marks(
            scope, tx, dag_id, run_id, state, names, matched, upstream, downstream, map_index, past, future, group
        )
    marked = [row for mark in marks for row in build_rows_to_mark(mark.changed, lambda _: state)]
    return [*marked, *(row for mark in marks for row in build_rows_to_mark(mark.cleared, lambda _: CLEARED))]


@operation("tasks.mark", "edit", "task instance")
def mark_tasks(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    state: str,
    names: list[str] | None = None,
    matched: list[str] | None = None,
    upstream: bool = False,
    downstream: bool = False,
    map_index: int | None = None,
    past: bool = False,
    future: bool = False,
    group: str | None = None,
) -> InstanceChange:
    """Set tasks of a run to a final state; their running attempts are stopped. What failed below them runs again.

    The arguments are those of `tasks.select_to_mark`. Each run is a request to the owner of the DAG.
    """
    with scope.db.read() as tx:
        marks = _select_marks(
            scope, tx, dag_id, run_id, state, names, matched, upstream, downstream, map_index, past, future, group
        )
    change = InstanceChange([], [], None)
    for mark in marks:
        if mark.changed:
            answer = mark_instances(scope.actor, scope.db, mark.dag, mark.run, mark.rows, state)
            change = change.add(read_instance_change(scope, mark.dag, mark.run, [*mark.changed, *mark.cleared], answer))
    return change


@operation("tasks.links", "read", "task instance")
def list_links(scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int) -> list[LinkRow]:
    """The links of a task instance into other systems."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        links = find_extra_links(tx, dag, find_run(tx, dag, run_id), task_id, map_index)
    return [LinkRow(name, url) for name, url in links.items()]


@dataclass(frozen=True, slots=True)
class _RunMark:
    """What a mark does in one run."""

    dag: DagRecord
    run: RunRecord
    rows: list[TaskInstanceRow]
    """The selected task instances."""
    changed: list[TaskInstanceRow]
    """Those that are not in the state."""
    cleared: list[TaskInstanceRow]
    """Those that run again because of them."""


def _select_marks(
    scope: OperationScope,
    tx: Transaction,
    dag_id: str,
    run_id: str,
    state: str,
    names: list[str] | None,
    matched: list[str] | None,
    upstream: bool,
    downstream: bool,
    map_index: int | None,
    past: bool,
    future: bool,
    group: str | None,
) -> list[_RunMark]:
    """In the run, and in those before and after it that have one of the tasks."""
    if state not in MARKS:
        raise UserError(say("task_cannot_be_marked", state=state, states=", ".join(MARKS)))
    dag = find_dag(tx, dag_id)
    named_run = find_run(tx, dag, run_id)
    marks = []
    for run in list_runs_to_change(tx, dag, named_run, past=past, future=future):
        spec = find_spec_of_run(tx, dag, run)
        ids = {task.task_id for task in spec.tasks}
        if group is not None and run is named_run and group not in spec.groups:
            raise UserError(
                say(
                    "run_has_no_task_group",
                    run=RunName(dag_id, run_id),
                    name=group,
                    names=", ".join(sorted(spec.groups)) or "none",
                )
            )
        members = matched if group is None else [*(matched or ()), *list_group_tasks(tx, dag, run, group)]
        if run is named_run:
            own, others = names, members
        else:
            own, others = (
                [name for name in task_names or () if name in ids or split_instance_name(name)[0] in ids]
                for task_names in (names, members)
            )
            if not own and not others:
                continue
        _, _, rows = _select(
            scope,
            tx,
            dag_id,
            run.run_id,
            Act.MARK,
            own,
            others,
            upstream,
            downstream,
            map_index,
            False,
            must_exist=run is named_run,
        )
        cleared = scope.hide_names(tx, list_cleared_by_mark(tx, dag, run, rows, state))
        marks.append(_RunMark(dag, run, rows, [row for row in rows if row.state != state], cleared))
    return marks


def _select(
    scope: OperationScope,
    tx: Transaction,
    dag_id: str,
    run_id: str,
    act: Act,
    names: list[str] | None,
    matched: list[str] | None,
    upstream: bool,
    downstream: bool,
    map_index: int | None,
    only_failed: bool,
    *,
    must_exist: bool = True,
) -> tuple[DagRecord, RunRecord, list[TaskInstanceRow]]:
    """`must_exist`: a map index that a named task does not have is refused."""
    dag = find_dag(tx, dag_id)
    run = find_run(tx, dag, run_id)
    named = split_instance_names(names or [], map_index)
    others = {task_id: None if map_index is None else {map_index} for task_id in matched or () if task_id not in named}
    if not named and not others:
        raise UserError(say("no_task_is_named"))
    rows = select_instances(
        tx, dag, run, {**named, **others}, upstream=upstream, downstream=downstream, only_failed=only_failed, act=act
    )
    if must_exist and not only_failed:
        _require_indices(rows, named, dag_id, run_id)
    if must_exist and not rows and map_index is not None and not only_failed:
        raise UserError(
            say(
                "no_task_has_map_index",
                map_index=map_index,
                run=RunName(dag_id, run_id),
                command=Command("tasks states"),
            )
        )
    return dag, run, scope.hide_names(tx, rows)


def _require_indices(
    rows: list[TaskInstanceRow], named: Mapping[str, frozenset[int] | None], dag_id: str, run_id: str
) -> None:
    existing = {(row.task_id, row.map_index) for row in rows}
    for task_id, indices in named.items():
        missing = sorted(index for index in indices or () if (task_id, index) not in existing)
        if missing:
            raise UserError(
                say(
                    "map_index_does_not_exist",
                    task_id=task_id,
                    map_index=missing[0],
                    run=RunName(dag_id, run_id),
                    command=Command("tasks states"),
                )
            )
