"""Expansion: the one instance of a mapped task becomes instances with the map indices 0 to n - 1.

`expand_task` does it, once the rules let the task run and all lengths are known; a task whose lengths stand in the file is
expanded when its run starts. `revise_expansion` compares the indices with the lengths after an upstream task ended again or
the file changed: missing instances are added, and those with a higher index become removed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.expansion import (
    INSTANCES_MAX,
    FactorLengths,
    SourceFacts,
    count_instances,
    describe_missing,
    describe_zero,
    evaluate_sources,
    find_excess,
    measure_factors,
)
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.decide.trigger_rules import (
    RuleOutcome,
    Verdict,
    evaluate_trigger_rule,
    format_skip_reason,
    parse_left_out,
)
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.lifecycle.deferrals import drop_deferral
from gnomon.rules.engine.lifecycle.tallies import rebuild_parts, recount_own, recount_upstream, returns_value
from gnomon.rules.engine.lifecycle.task_end import (
    fail_task_instance,
    finish_task_instance,
    is_finished,
    mark_unfinished,
    stop_task_instance,
)
from gnomon.rules.engine.state.mapping_plan import MappingPlan
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext

_RUN = Verdict(RuleOutcome.RUN)


def compute_expansion_verdict(ti: TaskInstance) -> Verdict:
    """Whether an instance that needs expansion is expanded now, waits, is skipped or is upstream_failed.

    The trigger rule of a task with upstream tasks in a mapped group of its own is left to the instances: it counts for each
    map index alone (airflow-surface.md I, 13).
    """
    run, index = ti.run, ti.index
    mapping = _mapping_of(run)
    rule = _RUN if index in mapping.inner_upstream else evaluate_trigger_rule(ti.task.trigger_rule, run.tallies[index])
    if rule.outcome in (RuleOutcome.SKIP, RuleOutcome.UPSTREAM_FAILED):
        return rule
    facts = collect_sources(run, index)
    verdict = evaluate_sources(facts)
    if verdict.outcome in (RuleOutcome.SKIP, RuleOutcome.UPSTREAM_FAILED):
        return verdict
    if rule.outcome is not RuleOutcome.RUN:
        return rule
    if verdict.outcome is not RuleOutcome.RUN:
        return verdict
    lengths = _measure(run, index, facts)
    if lengths is None:
        return Verdict(RuleOutcome.UPSTREAM_FAILED, describe_missing(facts))
    if count_instances(lengths) == 0:
        return Verdict(RuleOutcome.SKIP, describe_zero(mapping.levels[index], lengths))
    return _RUN


def collect_sources(run: DagRun, index: int) -> list[SourceFacts]:
    """The facts of the tasks that a task is mapped over."""
    return [_build_source(run, source) for source in _mapping_of(run).sources[index]]


def _build_source(run: DagRun, index: int) -> SourceFacts:
    task_id = run.graph.tasks[index].task_id
    expansion = run.expansions.get(index)
    if expansion is not None:
        return SourceFacts(
            task_id, S.SUCCESS if expansion.own.all_done() else None, expansion.value_count, is_expanded=True
        )
    instances = run.task_instances[index]
    if not instances:
        return SourceFacts(task_id, is_present=False)
    ti = instances.get(UNMAPPED)
    if ti is None:  # the task was mapped when it ran
        is_done = all(map(is_finished, instances.values()))
        return SourceFacts(
            task_id, S.SUCCESS if is_done else None, sum(map(returns_value, instances.values())), is_expanded=True
        )
    if run.graph.is_mapped(index):
        return SourceFacts(task_id, ti.state, 0)  # marked as success before its expansion: no instance returned a value
    length = (
        ti.return_length if ti.state is S.SUCCESS and ti.return_length is not None and ti.return_length >= 0 else None
    )
    return SourceFacts(task_id, ti.state, length)


def _measure(run: DagRun, index: int, facts: Iterable[SourceFacts]) -> FactorLengths | None:
    return measure_factors(_mapping_of(run).levels[index], {source.task_id: source for source in facts})


def expand_task(context: StepContext, ti: TaskInstance) -> None:
    """Expand the task of this instance, whose verdict is RUN; an instance with a state is evaluated first."""
    run, index = ti.run, ti.index
    if ti.state is not None:  # it had a try before the task was mapped
        dequeue(ti)
        drop_deferral(context, ti, killed=True)
        lifecycle.transition(ti, Cause.CLEAR)
        ti.resume_at = ti.started_at = ti.ended_at = ti.reason = None
        context.mark_dirty(ti)
        context.enqueue_evaluation(run, index)
        return
    facts = collect_sources(run, index)
    lengths = _measure(run, index, facts)
    assert lengths is not None
    excess = find_excess(ti.task.task_id, lengths, facts, context.engine_state.limits.max_map_length)
    if excess is not None:
        fail_task_instance(context, ti, Cause.EXPANSION_FAILED, render(excess))
        return
    _replace_by_indices(context, ti, lengths)
    if _mapping_of(run).sources[index]:
        context.mark_dirty(run.task_instances[index][0])  # its row holds the lengths


def _replace_by_indices(context: StepContext, ti: TaskInstance, lengths: FactorLengths) -> None:
    """Put the instances with map indices in the place of this one, and count them."""
    run, index = ti.run, ti.index
    context.newly_ready.pop(ti, None)
    context.dirty_instances.pop(ti, None)
    dequeue(ti)
    if ti.is_stored:
        context.changes.tasks_deleted.append(ti.key())
    if ti.seq:
        context.delete_xcoms(ti)
    expansion = run.expansions[index] = TaskExpansion(lengths)
    instances = run.task_instances[index]
    del instances[UNMAPPED]
    run.unfinished_count -= 1
    has_removed = bool(instances)
    _fill_indices(context, run, index, expansion.count)
    _continue_numbers(context, ti, instances[0])
    if has_removed:
        recount_structure(context, run, index)
    else:
        _count_new_instances(context, run, index)
    _apply_left_out(run, index)


def _continue_numbers(context: StepContext, source: TaskInstance, target: TaskInstance) -> None:
    """Map index 0 and the one instance of a task take over each other's try, attempt and deferral numbers, as in Airflow.

    The task may become mapped and unmapped again and again: an attempt number is never used twice.
    """
    if source.seq <= target.seq and source.try_number <= target.try_number and source.defer_seq <= target.defer_seq:
        return
    target.seq = max(source.seq, target.seq)
    target.try_number = max(source.try_number, target.try_number)
    target.defer_seq = max(source.defer_seq, target.defer_seq)
    target.max_tries = target.try_number + target.task.retries
    context.mark_dirty(target)


def _fill_indices(context: StepContext, run: DagRun, index: int, count: int) -> None:
    """Add the instances up to `count` that are missing, and bring back those that were removed."""
    task, instances = run.graph.tasks[index], run.task_instances[index]
    for map_index in range(count):
        ti = instances.get(map_index)
        if ti is None:
            instances[map_index] = TaskInstance(run, index, map_index, task)
            run.unfinished_count += 1
        elif ti.state is S.REMOVED:
            mark_unfinished(context, ti)
            restore_removed(ti)
            context.mark_dirty(ti)


def restore_removed(ti: TaskInstance) -> None:
    """Clear a removed instance whose task or map index is back: its numbers go on, and it has all its retries again."""
    lifecycle.transition(ti, Cause.CLEAR)
    if ti.overrides is not None:
        ti.set_overrides(None)
    ti.max_tries = ti.try_number + ti.task.retries
    ti.started_at = ti.ended_at = ti.reason = None


def _count_new_instances(context: StepContext, run: DagRun, index: int) -> None:
    """Count the new instances of a task, of which none is finished, for itself and its downstream tasks."""
    recount_own(run, index)
    rebuild_parts(run, index)
    context.enqueue_evaluation(run, index)
    count = len(run.task_instances[index]) - 1
    is_setup = run.graph.tasks[index].is_setup
    for d in run.graph.downstream[index]:
        if not run.graph.count_shared_groups(index, d):
            run.tallies[d].total += count
            run.tallies[d].setups += count * is_setup
            continue
        _recount_downstream(context, run, d)
    for d in run.graph.scope_dependents.get(index, ()):
        _recount_downstream(context, run, d)


def _recount_downstream(context: StepContext, run: DagRun, index: int) -> None:
    recount_upstream(run, index)
    if index in run.expansions:
        rebuild_parts(run, index)
    context.enqueue_evaluation(run, index)


def _apply_left_out(run: DagRun, index: int) -> None:
    """Skip the instances that a branch in the same group left out before this task was expanded."""
    mapping, target = _mapping_of(run), run.expansions[index]
    for u in mapping.inner_upstream.get(index, ()):
        source, shared = run.expansions.get(u), mapping.shared[u, index]
        for branch in run.task_instances[u].values() if source is not None else ():
            if run.graph.tasks[index].task_id in parse_left_out(branch.reason) and branch.state is S.SUCCESS:
                assert source is not None
                run.branches.add(branch.task.task_id)
                for map_index in target.list_indices(source.find_place(branch.map_index, shared), shared):
                    if map_index in run.task_instances[index]:
                        run.task_instances[index][map_index].reason = format_skip_reason(branch.name())


def expand_literals(context: StepContext, run: DagRun) -> None:
    """Expand the tasks of a run that starts whose lengths stand in the file."""
    mapping = run.graph.mapping
    for index, levels in enumerate(mapping.levels) if mapping is not None else ():
        ti = run.task_instances[index].get(UNMAPPED)
        lengths = measure_factors(levels, {}) if levels else None
        if (
            ti is not None
            and ti.state is None
            and lengths is not None
            and 0 < count_instances(lengths) <= INSTANCES_MAX
        ):
            _replace_by_indices(context, ti, lengths)


def revise_expansion(context: StepContext, run: DagRun, index: int) -> None:
    """Bring the map indices of a task with an unfinished instance in line with the lengths, if these are known."""
    expansion = run.expansions.get(index)
    if expansion is None or expansion.checked_version == run.lengths_version:
        return
    mapping = _mapping_of(run)
    for u in mapping.inner_upstream.get(index, ()):
        revise_expansion(context, run, u)  # before the places in the group are counted
    facts = collect_sources(run, index)
    if evaluate_sources(facts).outcome is not RuleOutcome.RUN or not mapping.levels[index]:
        return
    lengths = _measure(run, index, facts)
    if lengths == expansion.lengths or lengths is None:
        expansion.checked_version = run.lengths_version
        return
    if expansion.own.all_done() and mapping.sources[index]:
        return  # it has ended with the lengths from before; a clear of an instance brings the new ones
    excess = find_excess(run.graph.tasks[index].task_id, lengths, facts, context.engine_state.limits.max_map_length)
    if excess is not None:
        reason = render(excess)
        fail_task_instance(context, _collapse(context, run, index, reason), Cause.EXPANSION_FAILED, reason)
    elif count_instances(lengths) == 0:
        reason = render(describe_zero(mapping.levels[index], lengths))
        finish_task_instance(context, _collapse(context, run, index, reason), Cause.RULE_SKIP, reason)
    else:
        _change_indices(context, run, index, lengths)


def _change_indices(context: StepContext, run: DagRun, index: int, lengths: FactorLengths) -> None:
    """Add and remove instances, so that the map indices are those of `lengths`."""
    count, instances = count_instances(lengths), run.task_instances[index]
    _remove_from(context, run, index, count, render(say("expansion_has_fewer_instances", number=count)))
    run.expansions[index] = TaskExpansion(lengths)
    _fill_indices(context, run, index, count)
    context.mark_dirty(instances[0])  # its row holds the lengths
    recount_structure(context, run, index)
    run.expansions[index].checked_version = run.lengths_version


def _collapse(context: StepContext, run: DagRun, index: int, reason: str) -> TaskInstance:
    """Remove all indices; returns the one instance that stands for the task again."""
    _remove_from(context, run, index, 0, reason)
    del run.expansions[index]
    _add_unexpanded(context, run, index)
    recount_structure(context, run, index)
    return run.task_instances[index][UNMAPPED]


def _remove_from(context: StepContext, run: DagRun, index: int, count: int, reason: str) -> None:
    for ti in list(run.task_instances[index].values()):
        if ti.map_index >= count and ti.state is not S.REMOVED:
            remove_instance(context, ti, reason)


def remove_instance(context: StepContext, ti: TaskInstance, reason: str) -> None:
    """Set an instance whose map index does not exist any more to removed, and delete its XComs."""
    context.newly_ready.pop(ti, None)
    stop_task_instance(context, ti, Cause.REMOVE, reason)
    if ti.seq:
        context.delete_xcoms(ti)


def _add_unexpanded(context: StepContext, run: DagRun, index: int) -> None:
    instances = run.task_instances[index]
    ti = instances[UNMAPPED] = TaskInstance(run, index, UNMAPPED, run.graph.tasks[index])
    run.unfinished_count += 1
    if 0 in instances:
        _continue_numbers(context, instances[0], ti)


def recount_structure(context: StepContext, run: DagRun, index: int) -> None:
    """Count the instances of a task anew, for itself and its downstream tasks, after instances were added or removed."""
    for task_index in (index, *run.graph.downstream[index], *run.graph.scope_dependents.get(index, ())):
        recount_upstream(run, task_index)
        if task_index in run.expansions:
            recount_own(run, task_index)
            rebuild_parts(run, task_index)
        context.enqueue_evaluation(run, task_index)
    run.lengths_version += 1


def reconcile_expansions(context: StepContext, run: DagRun) -> None:
    """Bring the instances of tasks in line that were mapped and are not any more, or the other way round."""
    for index in range(len(run.task_instances)):
        reconcile_expansion(context, run, index)


def reconcile_expansion(context: StepContext, run: DagRun, index: int) -> None:
    """As `reconcile_expansions`, for one task."""
    instances = run.task_instances[index]
    ti = instances.get(UNMAPPED)
    if not run.graph.is_mapped(index):
        if len(instances) > 1 or (instances and ti is None):
            _merge_indices(context, run, index)
    elif ti is not None and ti.state in WITHOUT_PROCESS_STATES:
        expand_task(context, ti)  # ends the deferral


def _merge_indices(context: StepContext, run: DagRun, index: int) -> None:
    """The task is not mapped any more: unless all its instances had finished, they are removed, and it runs once."""
    instances = run.task_instances[index]
    indexed = [ti for ti in instances.values() if ti.map_index >= 0 and ti.state is not S.REMOVED]
    if UNMAPPED not in instances and indexed and all(map(is_finished, indexed)):
        return
    run.former_lengths.pop(index, None)
    if not indexed and UNMAPPED in instances:
        return
    reason = render(say("task_is_no_longer_mapped"))
    for ti in indexed:
        remove_instance(context, ti, reason)
    if UNMAPPED not in instances:
        _add_unexpanded(context, run, index)
    recount_structure(context, run, index)


def is_beyond_expansion(ti: TaskInstance) -> bool:
    """True for a removed instance whose map index the expansion does not have."""
    if ti.map_index < 0 or ti.state is not S.REMOVED:
        return False
    expansion = ti.run.expansions.get(ti.index)
    return expansion is None or ti.map_index >= expansion.count


def list_related_instances(ti: TaskInstance, index: int) -> list[TaskInstance] | None:
    """The instances of a downstream task that depend on this one; None if they depend on its place and are not expanded yet."""
    run = ti.run
    instances = run.task_instances[index]
    shared = run.graph.count_shared_groups(ti.index, index) if ti.map_index >= 0 else 0
    source, target = run.expansions.get(ti.index), run.expansions.get(index)
    if not shared or source is None:
        return list(instances.values())
    if target is None:
        unexpanded = instances.get(UNMAPPED)
        return None if unexpanded is not None and unexpanded.state not in FINISHED_TASK_STATES else []
    indices = target.list_indices(source.find_place(ti.map_index, shared), shared)
    return [instances[map_index] for map_index in indices if map_index in instances]


def list_open_upstream(ti: TaskInstance) -> Iterator[TaskInstance]:
    """The unfinished instances that count for this instance."""
    return (
        other
        for other in itertools.chain(list_awaited_upstream(ti), list_awaited_by_scope(ti))
        if other.state not in FINISHED_TASK_STATES
    )


def list_awaited_upstream(ti: TaskInstance) -> Iterator[TaskInstance]:
    """The instances of direct upstream tasks that count for this instance."""
    return _list_counting(ti, ti.run.graph.upstream[ti.index])


def list_awaited_by_scope(ti: TaskInstance) -> Iterator[TaskInstance]:
    """The other instances that count for this one because of the scopes of setups."""
    return _list_counting(ti, ti.run.graph.scope_upstream.get(ti.index, ()))


def _list_counting(ti: TaskInstance, upstream: Sequence[int]) -> Iterator[TaskInstance]:
    run, expansion = ti.run, ti.run.expansions.get(ti.index)
    for u in upstream:
        shared = run.graph.count_shared_groups(u, ti.index)
        source = run.expansions.get(u)
        place = expansion.find_place(ti.map_index, shared) if shared and expansion is not None else None
        for other in run.task_instances[u].values():
            is_elsewhere = (
                place is not None and source is not None and source.find_place(other.map_index, shared) != place
            )
            if not is_elsewhere:
                yield other


def _mapping_of(run: DagRun) -> MappingPlan:
    mapping = run.graph.mapping
    assert mapping is not None
    return mapping
