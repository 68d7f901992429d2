"""Selects task instances of a run by the names of tasks and instances, with those above and below them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum

from gnomon.model.records import DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import FAILED_TASK_STATES, DagRunState
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import (
    TaskInstanceRow,
    build_instance_rows,
    find_spec_of_run,
    list_stored_instances,
)
from gnomon.rules.decide.instance_relations import InstanceRelations, Selection
from gnomon.rules.decide.setup_scopes import build_setup_scopes
from gnomon.storage.store import Transaction


class Act(Enum):
    """What is done with selected task instances."""

    CLEAR = "clear"
    """They run again: the setups and teardowns of what is selected are selected too."""
    MARK = "mark"
    """They get a final state: teardowns below the named ones are left to run."""


Named = Mapping[str, Collection[int] | None]
"""By task id, the map indices of the instances; None: all of the task."""

_INSTANCE_NAME = re.compile(r"(?P<task_id>.+)\[(?P<map_index>[0-9]{1,9})\]")
FAILED_STATE_NAMES = frozenset(state.value for state in FAILED_TASK_STATES)
"""The states of rows that failed, by name."""


def split_instance_name(name: str) -> tuple[str, int | None]:
    """The task id and the map index of a name such as `load[1]`, as listings and reasons write it; (name, None) for a task id."""
    match = _INSTANCE_NAME.fullmatch(name)
    return (name, None) if match is None else (match["task_id"], int(match["map_index"]))


def split_instance_names(names: Iterable[str], map_index: int | None = None) -> dict[str, frozenset[int] | None]:
    """The instances that the names select. `map_index`: that of a name without one; None: all instances of its task."""
    selected: dict[str, frozenset[int] | None] = {}
    for task_id, own in map(split_instance_name, names):
        index = map_index if own is None else own
        before = selected.get(task_id, frozenset())
        selected[task_id] = None if before is None or index is None else before | {index}
    return selected


def select_instances(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    named: Named | None = None,
    *,
    upstream: bool = False,
    downstream: bool = False,
    only_failed: bool = False,
    act: Act | None = None,
) -> list[TaskInstanceRow]:
    """The named task instances of the run, in topological order; without names, all.

    `upstream` and `downstream` add all instances above and below them. `only_failed`: of all these, only those in state failed or upstream_failed.
    `act`: what shall be done with them. Raises UserError for an unknown task.
    """
    spec = find_spec_of_run(tx, dag, run)
    stored = list_stored_instances(tx, dag, run)
    rows = build_instance_rows(dag, run, spec, stored)
    if named:
        _check_names(spec, named)
        rows = _select_related(
            rows,
            named,
            build_relations(dag, run, spec, stored, rows),
            spec,
            upstream=upstream,
            downstream=downstream,
            act=act,
        )
    return [row for row in rows if not only_failed or row.state in FAILED_STATE_NAMES]


def list_group_tasks(tx: Transaction, dag: DagRecord, run: RunRecord, group: str) -> list[str]:
    """The ids of the tasks of a task group in a run, and of the groups in it; none for a group that this run does not have."""
    spec = find_spec_of_run(tx, dag, run)
    return [task.task_id for task in spec.tasks if group in _list_groups(spec, task)]


def _list_groups(spec: DagSpec, task: TaskSpec) -> Iterator[str]:
    """The group of the task, and the groups around it."""
    group = task.group
    while group is not None:
        yield group
        group = spec.groups.get(group)


def list_cleared_by_mark(
    tx: Transaction, dag: DagRecord, run: RunRecord, marked: Sequence[TaskInstanceRow], state: str
) -> list[TaskInstanceRow]:
    """The instances that run again when the marked ones are set to the state: what failed below those that change, as `engine.requests` does it."""
    changed: dict[str, set[int]] = {}
    for row in marked:
        if row.state != state:
            changed.setdefault(row.task_id, set()).add(row.map_index)
    if not changed:
        return []
    names = {row.name for row in marked}
    return [
        row
        for row in select_instances(tx, dag, run, changed, downstream=True, only_failed=True, act=Act.CLEAR)
        if row.name not in names
    ]


def list_awaited(tx: Transaction, dag: DagRecord, run: RunRecord, row: TaskInstanceRow) -> list[TaskInstanceRow]:
    """The instances that this instance waits for, of direct upstream tasks and because of the scopes of setups, in topological order."""
    spec = find_spec_of_run(tx, dag, run)
    position = next((position for position, task in enumerate(spec.tasks) if task.task_id == row.task_id), None)
    if position is None:
        return []
    stored = list_stored_instances(tx, dag, run)
    rows = build_instance_rows(dag, run, spec, stored)
    relations, scopes = build_relations(dag, run, spec, stored, rows), build_setup_scopes(spec.tasks)
    awaited = {*relations.list_directly_above(position, row.map_index)}
    for other in () if scopes is None else scopes.list_awaited(position):
        awaited |= {(other, index) for index in relations.relate(position, (row.map_index,), other)}
    names = {(spec.tasks[at].task_id, index) for at, index in awaited}
    return [other for other in rows if (other.task_id, other.map_index) in names]


def build_relations(
    dag: DagRecord, run: RunRecord, spec: DagSpec, stored: Sequence[TaskRecord], rows: Iterable[TaskInstanceRow]
) -> InstanceRelations:
    """The relations of the task instances of a run. `spec`: its version. `stored`: the instances with a row; `rows`: all of them."""
    from gnomon.rules.engine.lifecycle.expansion_loading import (
        find_expected_lengths,  # start-up cost: few commands need it
    )
    from gnomon.rules.engine.state.mapping_plan import build_mapping_plan  # start-up cost: few commands need it
    from gnomon.rules.engine.state.task_expansion import compute_strides  # start-up cost: few commands need it

    positions = {task.task_id: position for position, task in enumerate(spec.tasks)}
    indices: list[set[int]] = [set() for _ in spec.tasks]
    for row in rows:
        if row.task_id in positions:
            indices[positions[row.task_id]].add(row.map_index)
    plan = build_mapping_plan(spec, positions, build_setup_scopes(spec.tasks))
    strides = {}
    if plan is not None:
        records: dict[int, list[TaskRecord]] = {}
        for record in stored:
            records.setdefault(record.task_no, []).append(record)
        for position, levels in enumerate(plan.levels):
            own = records.get(dag.task_numbers.get(spec.tasks[position].task_id, -1), [])
            lengths = find_expected_lengths(levels, own, is_queued=run.state is DagRunState.QUEUED) if levels else None
            if lengths is not None:
                strides[position] = compute_strides(lengths)
    return InstanceRelations(
        [[positions[task_id] for task_id in task.upstream] for task in spec.tasks],
        {} if plan is None else plan.shared,
        strides,
        indices,
    )


def _select_related(
    rows: Sequence[TaskInstanceRow],
    named: Named,
    relations: InstanceRelations,
    spec: DagSpec,
    *,
    upstream: bool,
    downstream: bool,
    act: Act | None,
) -> list[TaskInstanceRow]:
    ids = [task.task_id for task in spec.tasks]
    chosen: Selection = {
        position: set(relations.indices[position])
        if indices is None
        else set(indices).intersection(relations.indices[position])
        for position, task_id in enumerate(ids)
        if task_id in named
        for indices in (named[task_id],)
    }
    above: Selection = relations.collect_above(chosen) if upstream else {}
    below: Selection = relations.collect_below(chosen) if downstream else {}
    if act is Act.MARK:
        below = {position: indices for position, indices in below.items() if not spec.tasks[position].is_teardown}
    selections = [chosen, above, below]
    scopes = build_setup_scopes(spec.tasks) if act is Act.CLEAR else None
    if scopes is not None:
        of_inside: list[Selection] = [below] if upstream else [chosen, below]
        of_above: list[Selection] = [above] if downstream else [chosen, above]
        selections += [scopes.collect_cleared(relations, selection, {}) for selection in of_inside]
        selections += [scopes.collect_cleared(relations, {}, selection) for selection in of_above]
    indices_by_task: dict[str, set[int]] = {}
    for selection in selections:
        for position, indices in selection.items():
            indices_by_task.setdefault(ids[position], set()).update(indices)
    return [row for row in rows if row.map_index in indices_by_task.get(row.task_id, ())]


def _check_names(spec: DagSpec, named: Named) -> None:
    task_ids = {task.task_id for task in spec.tasks}
    for task_id in named:
        if task_id not in task_ids:
            raise task_not_found(spec.dag_id, task_id, task_ids)
