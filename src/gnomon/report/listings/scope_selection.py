"""What the scopes of setups add to a clear, and take from a mark of tasks.

A clear takes the setups and teardowns of what it takes; a mark of the tasks below another leaves their teardowns alone. Source: airflow-surface.md D.4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gnomon.decide.expansion import count_instances, measure_factors
from gnomon.decide.setup_scopes import SetupScopes, build_setup_scopes
from gnomon.engine.state.mapping_plan import build_mapping_plan
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.spec import DagSpec
from gnomon.report.listings.run_list import TaskInstanceRow, find_spec_of_run, list_task_instances
from gnomon.store import Transaction


def add_scopes(
    tx: Transaction, dag: DagRecord, run: RunRecord, chosen: Sequence[TaskInstanceRow], named: Collection[str], *, upstream: bool, downstream: bool
) -> list[TaskInstanceRow]:
    """The chosen instances with the setups and teardowns that a clear of them takes, in the order of the run.

    `named`: the ids of the tasks that were named. `upstream`, `downstream`: whether the others among the chosen ones were added as above or below these.
    """
    spec = find_spec_of_run(tx, dag, run)
    scopes = build_setup_scopes(spec.tasks)
    if scopes is None or not chosen:
        return [*chosen]
    rows = list_task_instances(tx, dag, run)
    taken = {(row.task_id, row.map_index) for row in chosen}
    taken |= _ScopedInstances(spec, scopes, rows).collect(taken, named, upstream=upstream, downstream=downstream)
    return [row for row in rows if (row.task_id, row.map_index) in taken]


def leave_teardowns(
    tx: Transaction, dag: DagRecord, run: RunRecord, chosen: Sequence[TaskInstanceRow], named: Collection[str], *, upstream: bool
) -> list[TaskInstanceRow]:
    """The chosen instances without those of teardowns below the named tasks: a mark of what is below leaves these to run."""
    spec = find_spec_of_run(tx, dag, run)
    if not any(task.is_teardown for task in spec.tasks):
        return [*chosen]
    kept = {*named, *(_collect_above(spec, named) if upstream else ())}
    teardowns = {task.task_id for task in spec.tasks if task.is_teardown} - kept
    return [row for row in chosen if row.task_id not in teardowns]


def _collect_above(spec: DagSpec, named: Collection[str]) -> set[str]:
    above: set[str] = set()
    for task in reversed(spec.tasks):
        if task.task_id in above or task.task_id in named:
            above.update(task.upstream)
    return above


class _ScopedInstances:
    """The instances of a run and the scopes of its setups: who is related to whom, also map index by map index."""

    def __init__(self, spec: DagSpec, scopes: SetupScopes, rows: Iterable[TaskInstanceRow]) -> None:
        self._spec, self._scopes = spec, scopes
        self._ids = [task.task_id for task in spec.tasks]
        self._index_of = {task_id: index for index, task_id in enumerate(self._ids)}
        self._map_indices: dict[int, set[int]] = {index: set() for index in range(len(self._ids))}
        for row in rows:
            if row.task_id in self._index_of:
                self._map_indices[self._index_of[row.task_id]].add(row.map_index)
        self._plan = build_mapping_plan(spec, self._index_of, {index: [*self._list_scope(index)] for index in range(len(self._ids))})

    def _list_scope(self, index: int) -> Iterator[int]:
        """The setups of a task or a teardown."""
        if not self._spec.tasks[index].is_teardown:
            yield from self._scopes.list_setups(index)
        yield from (setup for setup in self._scopes.setups if index in self._scopes.list_teardowns(setup))

    def collect(self, chosen: Collection[tuple[str, int]], named: Collection[str], *, upstream: bool, downstream: bool) -> set[tuple[str, int]]:
        """The setups and teardowns of the chosen instances."""
        above = _collect_above(self._spec, named) if upstream else set()
        found: set[tuple[int, int]] = set()
        for task_id, map_index in chosen:
            index = self._index_of[task_id]
            is_named, task = task_id in named, self._spec.tasks[index]
            if task.is_setup and (task_id in above or (is_named and not downstream)):
                found.update(self._find_teardowns(index, map_index))
            is_below = downstream and not is_named and task_id not in above
            if ((is_named and not upstream) or is_below) and not task.is_setup and not task.is_teardown:
                for setup in self._scopes.list_setups(index):
                    for at in self._relate(index, map_index, setup):
                        found |= {(setup, at), *self._find_teardowns(setup, at)}
        return {(self._ids[index], map_index) for index, map_index in found}

    def _find_teardowns(self, setup: int, map_index: int) -> Iterator[tuple[int, int]]:
        for teardown in self._scopes.list_teardowns(setup):
            for at in self._relate(setup, map_index, teardown):
                yield teardown, at

    def _relate(self, index: int, map_index: int, other: int) -> Collection[int]:
        """The map indices of the other task at the place of this instance in the mapped groups that both are in; all without such groups."""
        shared = 0 if self._plan is None else self._plan.shared.get((other, index), 0) or self._plan.shared.get((index, other), 0)
        places = self._count_places(index, shared) if shared and map_index >= 0 else 0
        others = self._map_indices[other]
        if not places or UNMAPPED in others:
            return others
        place = map_index // max(len(self._map_indices[index]) // places, 1)
        stride = max(len(others) // places, 1)
        return others.intersection(range(place * stride, (place + 1) * stride))

    def _count_places(self, index: int, shared: int) -> int:
        """The number of instances of the `shared` outermost groups of the task; 0 if it is not known."""
        assert self._plan is not None
        groups = self._plan.levels[index][:shared]
        literal = measure_factors(groups, {})
        if literal is not None:
            return count_instances(literal)
        whole = (at for at, levels in enumerate(self._plan.levels) if levels == groups and UNMAPPED not in self._map_indices[at])
        return next((len(self._map_indices[at]) for at in whole), 0)
