"""How many slots one run takes at the same time, at most, as its graph says."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.spec import DagSpec, TaskSpec


def measure_width(tasks: Sequence[TaskSpec], upstream: Sequence[Sequence[int]], pool: str | None) -> int:
    """A number of slots of the pool, or of workers, that one run without mapped tasks never exceeds: tasks that follow one another in a chain need those of one of them.

    `upstream`: by task index, the indexes of those before it.
    """
    chains: list[int] = []
    """The most slots of a task of each chain."""
    last: dict[int, int] = {}
    """The chain that ends with a task, by its index."""
    for index, task in enumerate(tasks):
        if not task.runs_code or (pool is not None and task.pool != pool):
            continue
        slots = 1 if pool is None else task.pool_slots
        before = next((above for above in upstream[index] if above in last), None)
        chain = len(chains) if before is None else last.pop(before)
        if before is None:
            chains.append(0)
        chains[chain] = max(chains[chain], slots)
        last[index] = chain
    return sum(chains)


def bound_widths(spec: DagSpec) -> dict[str | None, int]:
    """By pool, and for None of all workers: the most slots that one run of the DAG takes, mapped or not."""
    coded = [task for task in spec.tasks if task.runs_code]
    pools = {task.pool for task in coded}
    if spec.group_expansions or any(task.expansion is not None for task in spec.tasks):
        most = spec.max_active_tasks
        widths: dict[str | None, int] = {None: most}
        for pool in pools:
            widths[pool] = most * max(task.pool_slots for task in coded if task.pool == pool)
        return widths
    numbers = {task.task_id: index for index, task in enumerate(spec.tasks)}
    upstream = [[numbers[above] for above in task.upstream] for task in spec.tasks]
    return {pool: measure_width(spec.tasks, upstream, pool) for pool in (None, *pools) if coded}
