"""Which task instances of a run stand directly or indirectly above and below others, map index by map index.

An instance in a mapped group is related to the instances at the same place in the groups that both tasks of an edge are in, and to all instances
across any other edge. An instance that is not expanded yet stands for all of its task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Selection = dict[int, set[int]]
"""Map indices by task."""


@dataclass(frozen=True, slots=True)
class InstanceRelations:
    """The instances of one run. Tasks are given by their position in topological order."""

    upstream: Sequence[Sequence[int]]
    """For each task, the tasks directly above it."""
    shared: Mapping[tuple[int, int], int]
    """(upstream, downstream) to the number of mapped groups that both are in, for edges and for the scopes of setups; pairs without one are left out."""
    strides: Mapping[int, Sequence[int]]
    """For each expanded task, by number of groups: how many map indices in a row have the same place in so many of the outermost ones."""
    indices: Sequence[Collection[int]]
    """For each task, the map indices that it has."""

    def collect_above(self, chosen: Mapping[int, Collection[int]]) -> Selection:
        """The instances above the chosen ones, without these unless one of them stands above another."""
        above: Selection = {}
        for task in reversed(range(len(self.upstream))):
            below = {*chosen.get(task, ()), *above.get(task, ())}
            for source in self.upstream[task] if below else ():
                above.setdefault(source, set()).update(
                    self._relate(task, below, source, self.shared.get((source, task), 0))
                )
        return above

    def collect_below(self, chosen: Mapping[int, Collection[int]]) -> Selection:
        """The instances below the chosen ones, without these unless one of them stands below another."""
        below: Selection = {}
        for task, sources in enumerate(self.upstream):
            for source in sources:
                above = {*chosen.get(source, ()), *below.get(source, ())}
                if above:
                    below.setdefault(task, set()).update(
                        self._relate(source, above, task, self.shared.get((source, task), 0))
                    )
        return below

    def list_directly_above(self, task: int, map_index: int) -> Iterator[tuple[int, int]]:
        """The instances of the tasks directly above this one that it waits for, as (task, map index)."""
        for source in self.upstream[task]:
            for index in self._relate(task, (map_index,), source, self.shared.get((source, task), 0)):
                yield source, index

    def relate(self, task: int, chosen: Iterable[int], other: int) -> Collection[int]:
        """The map indices of the other task, above or below, that are related to the chosen instances of a task as if there were an edge."""
        return self._relate(task, chosen, other, self.shared.get((other, task), 0) or self.shared.get((task, other), 0))

    def _relate(self, task: int, chosen: Iterable[int], other: int, shared: int) -> Collection[int]:
        """The map indices of the other task of an edge that are related to the chosen instances of a task."""
        strides, other_strides = self.strides.get(task), self.strides.get(other)
        if not shared or strides is None or other_strides is None:
            return self.indices[other]
        places = {index // strides[shared] if index >= 0 else None for index in chosen}
        if None in places:
            return self.indices[other]
        stride = other_strides[shared]
        return [
            index
            for place in places
            if place is not None
            for index in range(place * stride, (place + 1) * stride)
            if index in self.indices[other]
        ]
