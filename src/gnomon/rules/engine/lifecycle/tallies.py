"""The tallies of a run: how many upstream instances of each task have ended, and how.

A task has one tally for all its instances (`DagRun.tallies`). It counts every instance of its upstream tasks, except those
with map indices within a mapped group that both tasks are in: they count for the instances at the same place alone
(`TaskExpansion.parts`). An upstream task that is not expanded counts as one instance, for all.

What a task waits for because of the scopes of setups is counted in the same way, apart from its direct upstream tasks (`Tally.scope`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import ScopeTally, Tally
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def find_tally(ti: TaskInstance) -> Tally:
    """The upstream instances that this instance waits for. The caller must not change it."""
    run = ti.run
    tally = run.tallies[ti.index]
    expansion = run.expansions.get(ti.index) if run.expansions else None
    if expansion is None or ti.map_index < 0:
        return tally
    for shared, parts in expansion.parts.items():
        place = expansion.find_place(ti.map_index, shared)
        if place < len(parts):
            tally = tally.merge(parts[place]) if tally.total or tally.scope is not None else parts[place]
    return tally


def update_tallies(context: StepContext, ti: TaskInstance, by: int) -> None:
    """Count the instance's final state in the tallies of its downstream tasks: `by` 1 adds it, -1 removes it."""
    run = ti.run
    is_setup = ti.task.is_setup
    if run.graph.mapping is not None:
        _count_own(context, ti, by)
    for d in run.graph.downstream[ti.index]:
        if ti.map_index >= 0 and (shared := run.graph.count_shared_groups(ti.index, d)):
            _update_part(context, ti, d, shared, by)
        elif run.tallies[d].add(ti.state, by, is_setup):
            context.enqueue_evaluation(run, d)
    for d in run.graph.scope_dependents.get(ti.index, ()):
        _update_scope(context, ti, d, by)


def _update_scope(context: StepContext, ti: TaskInstance, d: int, by: int) -> None:
    """Count the instance for a task that waits for it because of the scope of a setup."""
    if ti.map_index >= 0 and (shared := ti.run.graph.count_shared_groups(ti.index, d)):
        _update_part(context, ti, d, shared, by, is_scope=True)
    elif (scope := ti.run.tallies[d].scope) is not None and scope.add(ti.state, by):
        context.enqueue_evaluation(ti.run, d)


def _count_own(context: StepContext, ti: TaskInstance, by: int) -> None:
    """Count the instance in the expansion of its own task, and enqueue the tasks that are mapped over it."""
    run, mapping = ti.run, ti.run.graph.mapping
    assert mapping is not None
    expansion = run.expansions.get(ti.index)
    is_complete = True
    if expansion is not None and ti.map_index >= 0:
        expansion.own.add(ti.state, by)
        if returns_value(ti):
            expansion.value_count += by
        is_complete = expansion.own.all_done()
    dependents = mapping.dependents.get(ti.index)
    if dependents is not None:
        run.lengths_version += 1
        if by > 0 and is_complete:
            for d in dependents:
                context.enqueue_evaluation(run, d)


def returns_value(ti: TaskInstance) -> bool:
    """True for an instance that succeeded and stored a return value."""
    return ti.state is S.SUCCESS and ti.return_length is not None


def _update_part(
    context: StepContext, ti: TaskInstance, d: int, shared: int, by: int, *, is_scope: bool = False
) -> None:
    run = ti.run
    source, target = run.expansions.get(ti.index), run.expansions.get(d)
    if source is None or target is None or ti.map_index >= source.count or shared not in target.parts:
        return
    place = source.find_place(ti.map_index, shared)
    parts = target.parts[shared]
    tally = (parts[place].scope if is_scope else parts[place]) if place < len(parts) else None
    if tally is not None and tally.add(ti.state, by, ti.task.is_setup):
        context.enqueue_evaluation(run, d, target.list_indices(place, shared))


def recount_tallies(run: DagRun) -> None:
    """Compute all tallies, the counts of the expansions and the count of unfinished instances anew."""
    run.tallies = [_count_upstream(run, index) for index in range(len(run.task_instances))]
    run.unfinished_count = sum(
        [ti.state not in FINISHED_TASK_STATES for instances in run.task_instances for ti in instances.values()]
    )
    for index in run.expansions:
        recount_own(run, index)
        rebuild_parts(run, index)


def recount_upstream(run: DagRun, index: int) -> None:
    """Compute the tally of a task anew: the upstream instances that count for all its instances."""
    run.tallies[index] = _count_upstream(run, index)


def _count_upstream(run: DagRun, index: int) -> Tally:
    graph, tasks = run.graph, run.graph.tasks
    tally = Tally(0)
    for u in graph.upstream[index]:
        is_setup = tasks[u].is_setup
        instances: Collection[TaskInstance] = run.task_instances[u].values()
        if graph.mapping is not None and graph.count_shared_groups(u, index):
            instances = [ti for ti in instances if ti.map_index < 0]
        tally.total += len(instances)
        if is_setup:
            tally.setups += len(instances) if graph.is_mapped(u) else 1
        for ti in instances:
            if ti.state is not None:  # most have none: a run that begins has thousands
                tally.add(ti.state, 1, is_setup)
    if index in graph.scope_upstream:
        _count_scope(run, index, tally)
    return tally


def _count_scope(run: DagRun, index: int, tally: Tally) -> None:
    """Count what all instances of the task wait for because of the scopes of setups."""
    scope = _require_scope(run, index, tally)
    for u in run.graph.scope_upstream[index]:
        is_inner = bool(run.graph.count_shared_groups(u, index))
        for ti in run.task_instances[u].values():
            if not is_inner or ti.map_index < 0:
                scope.total += 1
                scope.add(ti.state, 1)


def _require_scope(run: DagRun, index: int, tally: Tally) -> ScopeTally:
    graph = run.graph
    if tally.scope is not None:
        return tally.scope
    names = [graph.tasks[u].task_id for u in graph.scope_upstream[index]]
    return tally.require_scope(names, is_of_teardown=graph.tasks[index].is_teardown)


def recount_own(run: DagRun, index: int) -> None:
    """Compute the counts of the instances of an expanded task anew."""
    expansion = run.expansions[index]
    expansion.own = Tally(len(run.task_instances[index]))
    for ti in run.task_instances[index].values():
        expansion.own.add(ti.state, 1)
    expansion.value_count = sum(map(returns_value, run.task_instances[index].values()))


def rebuild_parts(run: DagRun, index: int) -> None:
    """Compute the tallies of an expanded task for its places in mapped groups anew."""
    mapping, expansion = run.graph.mapping, run.expansions[index]
    expansion.parts = {}
    if mapping is None:
        return
    for u in mapping.inner_upstream.get(index, ()):
        shared = mapping.shared[u, index]
        _count_into_parts(run, u, shared, _require_parts(expansion, shared))
    for u in mapping.inner_scope.get(index, ()):
        shared = mapping.shared[u, index]
        _count_into_parts(
            run, u, shared, [_require_scope(run, index, part) for part in _require_parts(expansion, shared)]
        )


def _require_parts(expansion: TaskExpansion, shared: int) -> list[Tally]:
    parts = expansion.parts.get(shared)
    if parts is None:
        parts = expansion.parts[shared] = [Tally(0) for _ in range(expansion.count // expansion.strides[shared])]
    return parts


def _count_into_parts(run: DagRun, u: int, shared: int, parts: Sequence[Tally]) -> None:
    source = run.expansions.get(u)
    if source is None:
        return
    is_setup = run.graph.tasks[u].is_setup
    for ti in run.task_instances[u].values():
        place = source.find_place(ti.map_index, shared)
        if 0 <= ti.map_index < source.count and place < len(parts):
            parts[place].total += 1
            parts[place].setups += is_setup
            parts[place].add(ti.state, 1, is_setup)
