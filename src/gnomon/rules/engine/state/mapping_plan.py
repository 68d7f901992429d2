"""The mapped tasks of a DAG, compiled for the engine: the expansions of each task, and which instances depend on which."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from gnomon.model.mapping import Expansion, Length, XComLength, ZipLength
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.decide.expansion import list_sources
from gnomon.rules.decide.setup_scopes import SetupScopes


class MappingPlan:
    """The expansions of all tasks of one version of a DAG; immutable. Tasks are given by their index."""

    __slots__ = ("dependents", "element_places", "inner_scope", "inner_upstream", "levels", "shared", "sources")

    def __init__(self, spec: DagSpec, index_of: Mapping[str, int], scopes: SetupScopes | None) -> None:
        groups = {task.task_id: _list_mapped_groups(spec, task) for task in spec.tasks}
        self.levels: tuple[tuple[Expansion, ...], ...] = tuple(
            (
                *(spec.group_expansions[group] for group in groups[task.task_id]),
                *((task.expansion,) if task.expansion else ()),
            )
            for task in spec.tasks
        )
        """The expansions of each task, those of the outermost group first; () for a task that is not mapped."""
        self.sources: tuple[tuple[int, ...], ...] = tuple(
            tuple(index_of[task_id] for task_id in list_sources(levels) if task_id in index_of)
            for levels in self.levels
        )
        """For each task: the tasks that its expansions refer to."""
        self.element_places: tuple[tuple[tuple[int, int, int], ...], ...] = tuple(
            tuple(dict.fromkeys(self._find_element_places(levels, index_of))) for levels in self.levels
        )
        """For each task: (level, factor, source) of each value of a task that is not mapped of which an instance gets the element at its place."""
        dependents: dict[int, list[int]] = {}
        for index, sources in enumerate(self.sources):
            for source in sources:
                dependents.setdefault(source, []).append(index)
        self.dependents: dict[int, tuple[int, ...]] = {source: tuple(tasks) for source, tasks in dependents.items()}
        """The tasks whose number of instances depends on a task."""
        self.shared: dict[tuple[int, int], int] = {}
        """(upstream, downstream) to the number of mapped groups that both are in; edges without one are left out. Also for tasks that share the scope of a setup."""
        upstream = {index: [index_of[task_id] for task_id in task.upstream] for index, task in enumerate(spec.tasks)}
        by_position = [groups[task.task_id] for task in spec.tasks]
        self.inner_upstream: dict[int, tuple[int, ...]] = self._find_inner(upstream, by_position)
        """For each task: its direct upstream tasks within a mapped group of its own, which count for each map index alone."""
        awaited, pairs = (
            ({}, {})
            if scopes is None
            else (
                {index: [*listed(index)] for index in range(len(spec.tasks))}
                for listed in (scopes.list_awaited, scopes.list_pairs)
            )
        )
        self.inner_scope: dict[int, tuple[int, ...]] = self._find_inner(awaited, by_position)
        """The same for the tasks that it waits for because of the scopes of setups."""
        self._find_inner(pairs, by_position)

    def _find_inner(
        self, upstream: Mapping[int, Collection[int]], groups: Sequence[Sequence[str]]
    ) -> dict[int, tuple[int, ...]]:
        inner: dict[int, list[int]] = {}
        for index, above in upstream.items():
            for u in above:
                count = _count_common(groups[u], groups[index])
                if count:
                    self.shared[u, index] = count
                    inner.setdefault(index, []).append(u)
        return {index: tuple(above) for index, above in inner.items()}

    def _find_element_places(
        self, levels: Sequence[Expansion], index_of: Mapping[str, int]
    ) -> Iterator[tuple[int, int, int]]:
        for level, expansion in enumerate(levels):
            for factor, length in enumerate(expansion.factors):
                for task_id in _list_sources_by_place(length):
                    if task_id in index_of and not self.levels[index_of[task_id]]:
                        yield level, factor, index_of[task_id]


def build_mapping_plan(
    spec: DagSpec, index_of: Mapping[str, int], scopes: SetupScopes | None = None
) -> MappingPlan | None:
    """The plan; None for a DAG without mapped tasks. `scopes`: those of its setups; None: nobody asks for them."""
    if not spec.group_expansions and all(task.expansion is None for task in spec.tasks):
        return None
    return MappingPlan(spec, index_of, scopes)


def _list_sources_by_place(length: Length) -> Iterator[str]:
    """The tasks of whose values an element of the factor has the elements at the same place: not the parts of a `concat`."""
    if isinstance(length, XComLength):
        yield length.task_id
    elif isinstance(length, ZipLength):
        for part in length.parts:
            yield from _list_sources_by_place(part)


def _list_mapped_groups(spec: DagSpec, task: TaskSpec) -> list[str]:
    """The mapped groups that the task is in, the outermost first."""
    groups: list[str] = []
    group = task.group
    while group is not None:
        if group in spec.group_expansions:
            groups.append(group)
        group = spec.groups.get(group)
    return groups[::-1]


def _count_common(first: Sequence[str], second: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(first, second, strict=False))
