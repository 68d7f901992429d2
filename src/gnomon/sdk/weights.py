"""What admission sorts by: each task's own weight, and those of the tasks around it as its weight rule says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gnomon.sdk.place import at
from gnomon.sdk.rules import WeightRule

if TYPE_CHECKING:
    from gnomon.sdk.dag import DAG
    from gnomon.sdk.operator import BaseOperator

PRIORITY_MAX = 2**31 - 1


def effective_priorities(dag: DAG, order: Sequence[BaseOperator]) -> dict[str, int]:
    """Task id to effective priority; `order` is topological."""
    rules = {task.task_id: task.__dict__["weight_rule"] for task in order}
    weights = [int(task.__dict__["priority_weight"]) for task in order]
    downstream = upstream = None
    found: dict[str, int] = {}
    for index, task in enumerate(order):
        rule = rules[task.task_id]
        total = weights[index]
        if rule == WeightRule.DOWNSTREAM:
            downstream = downstream or _reach(order, upstream=False)
            total += _sum(downstream[index], weights)
        elif rule == WeightRule.UPSTREAM:
            upstream = upstream or _reach(order, upstream=True)
            total += _sum(upstream[index], weights)
        elif rule != WeightRule.ABSOLUTE:
            dag.warn(f"Task {task.task_id!r}{at(task._place)}: weight_rule={rule!r} is a strategy of your own, which is a "
                     "later feature; until then its priority is its own priority_weight.")
        found[task.task_id] = max(-PRIORITY_MAX, min(total, PRIORITY_MAX))
    return found


def _reach(order: Sequence[BaseOperator], *, upstream: bool) -> list[int]:
    """For each task the set of tasks after it (or before it), at any distance, as the bits of a number."""
    number = {task.task_id: index for index, task in enumerate(order)}
    reach = [0] * len(order)
    for index in range(len(order)) if upstream else range(len(order) - 1, -1, -1):
        bits = 0
        for task_id in order[index].upstream_task_ids if upstream else order[index].downstream_task_ids:
            other = number[task_id]
            bits |= reach[other] | (1 << other)
        reach[index] = bits
    return reach


def _sum(bits: int, weights: list[int]) -> int:
    """The weights at the set bits."""
    if not bits:
        return 0
    first = weights[0]
    if all(weight == first for weight in weights):
        return first * bits.bit_count()
    total = 0
    while bits:
        low = bits & -bits
        total += weights[low.bit_length() - 1]
        bits ^= low
    return total
