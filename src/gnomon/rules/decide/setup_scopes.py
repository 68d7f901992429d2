"""The scopes of setup tasks: which tasks wait for a setup that is no direct parent, and for which tasks a teardown waits.

A task is in the scope of every setup above it that has no teardown, or has one below the task. Source: airflow-surface.md A.3, D.4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from gnomon.model.spec import TaskSpec
from gnomon.rules.decide.instance_relations import InstanceRelations, Selection


class SetupScopes:
    """The setups and teardowns around each task of one version of a DAG; immutable. Tasks are given by their topological position."""

    __slots__ = ("_setups_above", "_teardowns_below", "_teardowns_of", "_upstream", "setups", "tasks", "teardowns")

    def __init__(self, tasks: Sequence[TaskSpec]) -> None:
        index_of = {task.task_id: index for index, task in enumerate(tasks)}
        self.tasks = tasks
        self.setups = [index for index, task in enumerate(tasks) if task.is_setup]
        self.teardowns = [index for index, task in enumerate(tasks) if task.is_teardown]
        self._upstream = [[index_of[task_id] for task_id in task.upstream] for task in tasks]
        setup_bits = {index: 1 << place for place, index in enumerate(self.setups)}
        teardown_bits = {index: 1 << place for place, index in enumerate(self.teardowns)}
        self._setups_above = [0] * len(tasks)
        self._teardowns_below = [0] * len(tasks)
        self._teardowns_of = dict.fromkeys(self.setups, 0)
        """For each setup: the teardowns directly below it."""
        for index, above in enumerate(self._upstream):
            for u in above:
                self._setups_above[index] |= self._setups_above[u] | setup_bits.get(u, 0)
                if u in setup_bits:
                    self._teardowns_of[u] |= teardown_bits.get(index, 0)
        for index in range(len(tasks) - 1, -1, -1):
            for u in self._upstream[index]:
                self._teardowns_below[u] |= self._teardowns_below[index] | teardown_bits.get(index, 0)

    def list_setups(self, index: int) -> Iterator[int]:
        """The setups in whose scope the task is, direct parents or not."""
        for setup in _list_set(self._setups_above[index], self.setups):
            teardowns = self._teardowns_of[setup]
            if not teardowns or teardowns & self._teardowns_below[index]:
                yield setup

    def list_teardowns(self, setup: int) -> Iterator[int]:
        """The teardowns of a setup; none for another task."""
        return _list_set(self._teardowns_of.get(setup, 0), self.teardowns)

    def list_awaited(self, index: int) -> Iterator[int]:
        """The tasks that are no direct parents and that the task waits for because of scopes.

        For a teardown: all tasks between its setups and itself. For any other task: the setups in whose scope it is. None for the trigger
        rule `always`.
        """
        task, direct = self.tasks[index], self._upstream[index]
        if task.trigger_rule == "always":
            return
        if task.is_teardown:
            own = sum(1 << place for place, setup in enumerate(self.setups) if setup in direct)
            bit = 1 << self.teardowns.index(index)
            for between in range(index) if own else ():
                if self._setups_above[between] & own and self._teardowns_below[between] & bit and between not in direct:
                    yield between
        else:
            yield from (setup for setup in self.list_setups(index) if setup not in direct)

    def list_pairs(self, index: int) -> Iterator[int]:
        """The setups that share a scope with the task: those of a teardown, those in whose scope another task is."""
        yield from (
            (setup for setup in self._upstream[index] if setup in self._teardowns_of)
            if self.tasks[index].is_teardown
            else self.list_setups(index)
        )

    def collect_cleared(
        self, relations: InstanceRelations, inside: Mapping[int, Collection[int]], above: Mapping[int, Collection[int]]
    ) -> Selection:
        """The setups and teardowns that a clear takes.

        `inside`: instances that are cleared for themselves or below others, which bring the setups in whose scope they are. `above`: instances
        that are cleared above others, or without what is below them; setups among these bring their teardowns.
        """
        selection: Selection = {}
        for task, indices in above.items():
            self._add_teardowns(relations, selection, task, indices)
        for task, indices in inside.items():
            if indices and not self.tasks[task].is_setup and not self.tasks[task].is_teardown:
                for setup in self.list_setups(task):
                    related = relations.relate(task, indices, setup)
                    selection.setdefault(setup, set()).update(related)
                    self._add_teardowns(relations, selection, setup, related)
        return selection

    def _add_teardowns(
        self, relations: InstanceRelations, selection: Selection, setup: int, indices: Collection[int]
    ) -> None:
        for teardown in self.list_teardowns(setup) if indices else ():
            selection.setdefault(teardown, set()).update(relations.relate(setup, indices, teardown))


def build_setup_scopes(tasks: Sequence[TaskSpec]) -> SetupScopes | None:
    """The scopes of a DAG with these tasks, in topological order; None for a DAG without setups."""
    return SetupScopes(tasks) if any(task.is_setup for task in tasks) else None


def _list_set(bits: int, tasks: Sequence[int]) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield tasks[low.bit_length() - 1]
        bits ^= low
