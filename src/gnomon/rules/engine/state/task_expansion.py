"""The instances of one mapped task of a run, counted: how many there are, how they ended, and what each of them waits for."""

from __future__ import annotations

import itertools
import math

from gnomon.rules.decide.expansion import FactorLengths, count_instances
from gnomon.rules.decide.trigger_rules import Tally

NEVER_CHECKED = -1


class TaskExpansion:
    """The expansion of a mapped task: it exists while the task has instances with map indices."""

    __slots__ = ("checked_version", "count", "lengths", "own", "parts", "strides", "value_count")

    def __init__(self, lengths: FactorLengths) -> None:
        self.lengths = lengths
        self.count = count_instances(lengths)
        """The number of instances; instances with a higher map index are removed."""
        self.strides = compute_strides(lengths)
        """By number of levels: how many map indices in a row have the same place in so many of the outer expansions."""
        self.own = Tally(0)
        """The instances by final state."""
        self.value_count = 0
        """Instances that succeeded and returned a value."""
        self.parts: dict[int, list[Tally]] = {}
        """The upstream instances within mapped groups, by number of shared groups and then by the place in these groups."""
        self.checked_version = NEVER_CHECKED
        """The `DagRun.lengths_version` for which `count` was last compared with the lengths."""

    def find_place(self, map_index: int, shared: int) -> int:
        """The place of an instance in the `shared` outermost groups."""
        return map_index // self.strides[shared]

    def find_element(self, map_index: int, level: int, factor: int) -> int:
        """The place of the element that an instance gets of one factor of the expansion number `level` (0: the outermost one)."""
        lengths = self.lengths[level]
        return map_index // (self.strides[level + 1] * math.prod(lengths[factor + 1 :])) % lengths[factor]

    def list_indices(self, place: int, shared: int) -> range:
        """The map indices of the instances at that place in the `shared` outermost groups."""
        stride = self.strides[shared]
        return range(place * stride, (place + 1) * stride)


def compute_strides(lengths: FactorLengths) -> tuple[int, ...]:
    """The product of the lengths from each level on; 1 after the last."""
    counts = [math.prod(level) for level in lengths]
    return tuple(itertools.accumulate(reversed(counts), lambda product, count: product * count, initial=1))[::-1]
