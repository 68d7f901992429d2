"""The instances of mapped tasks as the store has them: which map indices there are, and the lengths of their expansion.

The row of map index 0 holds the lengths; instances without a row have no state yet. A task whose lengths stand in the file
has indices from the start of its run, with or without rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gnomon.model.ids import UNMAPPED
from gnomon.model.mapping import Expansion
from gnomon.model.records import TaskRecord
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.expansion import INSTANCES_MAX, FactorLengths, count_instances, measure_factors
from gnomon.rules.decide.trigger_rules import parse_skip_reason
from gnomon.rules.engine.lifecycle.expansions import restore_removed
from gnomon.rules.engine.lifecycle.tallies import recount_tallies
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def restore_expansions(run: DagRun, indexed_rows: Mapping[int, Sequence[TaskRecord]]) -> None:
    """Add the instances with map indices of all tasks. `indexed_rows`: their rows by task index."""
    mapping = run.graph.mapping
    for index, rows in indexed_rows.items():
        restore_indices(run, index, rows)
    for index, levels in (
        enumerate(mapping.levels) if mapping is not None and run.record.state is not DagRunState.QUEUED else ()
    ):
        if levels and index not in indexed_rows:
            lengths = measure_factors(levels, {})
            ti = run.task_instances[index].get(UNMAPPED)
            if (
                ti is not None
                and not ti.is_stored
                and lengths is not None
                and 0 < count_instances(lengths) <= INSTANCES_MAX
            ):
                _add_indices(run, index, lengths)


def restore_indices(run: DagRun, index: int, rows: Sequence[TaskRecord]) -> None:
    """Add the instances with map indices of one task from its rows, and those that have no row."""
    instances = run.task_instances[index]
    unexpanded = instances.get(UNMAPPED)
    if run.graph.is_mapped(index):
        if unexpanded is None or not unexpanded.is_stored:
            assert run.graph.mapping is not None
            _add_indices(run, index, _find_lengths(run.graph.mapping.levels[index], rows))
    elif unexpanded is not None and not unexpanded.is_stored and _is_complete(rows):
        del instances[UNMAPPED]
        run.former_lengths[index] = _find_stored_lengths(rows) or build_unknown_lengths(
            1 + max(row.map_index for row in rows), 1
        )
    for row in rows:
        instances[row.map_index] = restore_task_instance(run, index, row)


def _add_indices(run: DagRun, index: int, lengths: FactorLengths) -> None:
    task = run.graph.tasks[index]
    expansion = run.expansions[index] = TaskExpansion(lengths)
    run.task_instances[index].pop(UNMAPPED, None)
    run.task_instances[index].update((i, TaskInstance(run, index, i, task)) for i in range(expansion.count))


def undo_literal_expansions(context: StepContext, run: DagRun) -> None:
    """The run is queued again: tasks whose lengths stand in the file and that have no row are expanded when it starts."""
    mapping = run.graph.mapping
    if mapping is None:
        return
    undone = [
        index
        for index in run.expansions
        if not mapping.sources[index]
        and not any(ti.is_stored or ti in context.dirty_instances for ti in run.task_instances[index].values())
    ]
    for index in undone:
        del run.expansions[index]
        run.task_instances[index] = {UNMAPPED: TaskInstance(run, index, UNMAPPED, run.graph.tasks[index])}
    if undone:
        recount_tallies(run)


def list_expected_indices(levels: Sequence[Expansion], rows: Sequence[TaskRecord], *, is_queued: bool) -> range:
    """The map indices that a mapped task has in memory, for listings: also those without a row. The arguments are those of `find_expected_lengths`."""
    lengths = find_expected_lengths(levels, rows, is_queued=is_queued)
    return range(UNMAPPED, 0) if lengths is None else range(count_instances(lengths))


def find_expected_lengths(
    levels: Sequence[Expansion], rows: Sequence[TaskRecord], *, is_queued: bool
) -> FactorLengths | None:
    """The lengths that a mapped task has in memory; None while it is not expanded.

    `levels`: its expansions. `rows`: its rows. `is_queued`: the run has not started.
    """
    if any(row.map_index < 0 for row in rows):
        return None
    if rows:
        return _find_lengths(levels, rows)
    literal = None if is_queued else measure_factors(levels, {})
    return literal if literal is not None and 0 < count_instances(literal) <= INSTANCES_MAX else None


def _find_lengths(levels: Sequence[Expansion], rows: Sequence[TaskRecord]) -> FactorLengths:
    """The stored lengths; else those in the file; else as many instances as there are rows, until the lengths are known."""
    stored = _find_stored_lengths(rows)
    if stored is not None and len(stored) == len(levels):
        return stored
    count = count_instances(stored) if stored is not None else 1 + max(row.map_index for row in rows)
    literal = measure_factors(levels, {}) if stored is None else None
    if literal is not None and 0 < count_instances(literal) <= INSTANCES_MAX:
        return literal
    return build_unknown_lengths(count, len(levels))


def _find_stored_lengths(rows: Sequence[TaskRecord]) -> FactorLengths | None:
    return next((row.factor_lengths for row in rows if row.factor_lengths), None)


def build_unknown_lengths(count: int, level_count: int) -> FactorLengths:
    """Lengths for a task that has so many instances and was mapped in another way when they were made."""
    return ((count,), *((1,) for _ in range(level_count - 1)))


def _is_complete(rows: Sequence[TaskRecord]) -> bool:
    """True when all instances of a task that was mapped are finished; those that were removed do not count."""
    present = [row for row in rows if row.state is not S.REMOVED]
    stored = _find_stored_lengths(rows)
    if not present or any(row.state not in FINISHED_TASK_STATES for row in present):
        return False
    if stored is None:
        return True
    count = count_instances(stored)
    return sum(row.map_index < count for row in rows) == count  # an instance without a row is not finished


def restore_task_instance(run: DagRun, index: int, row: TaskRecord) -> TaskInstance:
    """The task instance of the row.

    A removed instance of an unfinished run is cleared, because its task has returned, unless its map index has not.
    """
    ti = TaskInstance(run, index, row.map_index, run.graph.tasks[index])
    ti.restore(row)
    branch = parse_skip_reason(ti.reason)
    if branch is not None:
        run.branches.add(branch[0])
    if ti.state is S.REMOVED and run.record.state not in FINISHED_RUN_STATES and has_place(run, index, row.map_index):
        restore_removed(ti)
    return ti


def has_place(run: DagRun, index: int, map_index: int) -> bool:
    """True when the task has an instance with that map index now."""
    if map_index < 0:
        return True
    expansion = run.expansions.get(index)
    return expansion is not None and map_index < expansion.count
