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
    masks = _masks(weights)
    downstream = upstream = None
    found: dict[str, int] = {}
    for index, task in enumerate(order):
        rule = rules[task.task_id]
        total = weights[index]
        if rule == WeightRule.DOWNSTREAM:
            downstream = downstream or _reach(order, upstream=False)
            total += _sum(downstream[index], masks)
        elif rule == WeightRule.UPSTREAM:
            upstream = upstream or _reach(order, upstream=True)
            total += _sum(upstream[index], masks)
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


def _sum(bits: int, masks: dict[int, int]) -> int:
    """The weights of the tasks at the set bits; `masks` has, for each weight, the tasks that carry it."""
    return sum(weight * (bits & mask).bit_count() for weight, mask in masks.items())


def _masks(weights: list[int]) -> dict[int, int]:
    masks: dict[int, int] = {}
    for index, weight in enumerate(weights):
        masks[weight] = masks.get(weight, 0) | (1 << index)
    return masks
