"""A DagSpec compiled for the engine: tasks by index, edges as index tuples."""

from __future__ import annotations

from collections.abc import Mapping

from gnomon.model.instants import EARLIEST, LATEST, Instant
from gnomon.model.sentences import render, say
from gnomon.model.spec import DagSpec, TaskSpec, collect_edges
from gnomon.model.upstream_edges import Edge
from gnomon.rules.decide.setup_scopes import SetupScopes, build_setup_scopes
from gnomon.rules.decide.trigger_rules import waits_without_ends
from gnomon.rules.engine.state.mapping_plan import MappingPlan, build_mapping_plan


class TaskGraph:
    """One version of one DAG; immutable. Index = position in the topological order of the spec."""

    __slots__ = (
        "bounds",
        "depends_on_previous_run",
        "downstream",
        "edges",
        "index_of",
        "index_of_number",
        "initial_tallies",
        "leaves",
        "mapping",
        "numbers",
        "run_limit_name",
        "scope_dependents",
        "scope_upstream",
        "scopes",
        "spec",
        "tasks",
        "upstream",
        "version_pk",
        "waits_at_start",
    )

    def __init__(self, spec: DagSpec, version_pk: int, task_numbers: Mapping[str, int]) -> None:
        self.spec = spec
        self.version_pk = version_pk
        self.tasks: tuple[TaskSpec, ...] = spec.tasks
        self.index_of: dict[str, int] = {task.task_id: i for i, task in enumerate(spec.tasks)}
        self.numbers: tuple[int, ...] = tuple(task_numbers[task.task_id] for task in spec.tasks)
        self.index_of_number: dict[int, int] = {number: i for i, number in enumerate(self.numbers)}
        """Task number to index."""
        self.upstream: tuple[tuple[int, ...], ...] = tuple(
            [tuple([self.index_of[task_id] for task_id in task.upstream]) for task in spec.tasks]
        )
        downstream: list[list[int]] = [[] for _ in spec.tasks]
        for i, above in enumerate(self.upstream):
            for u in above:
                downstream[u].append(i)
        self.downstream: tuple[tuple[int, ...], ...] = tuple(map(tuple, downstream))
        self.leaves = _leaves(spec, self.downstream)
        self.depends_on_previous_run = depends_on_previous_run(spec)
        self.scopes = build_setup_scopes(spec.tasks)
        """The scopes of setups; None when the DAG has no setups."""
        self.scope_upstream: dict[int, tuple[int, ...]] = _list_scope_upstream(self.scopes)
        """By task index: the tasks that are no direct parents and that it waits for because of the scopes of setups; without those that wait for none."""
        self.scope_dependents: dict[int, tuple[int, ...]] = _invert(self.scope_upstream)
        """By task index: the tasks that wait for it because of the scopes of setups."""
        self.mapping: MappingPlan | None = build_mapping_plan(spec, self.index_of, self.scopes)
        """The mapped tasks; None when the DAG has none."""
        self.initial_tallies: tuple[tuple[int, int], ...] | None = self._count_initial_tallies()
        """By task index, the upstream instances and the setups among them in a run that has all tasks and no rows; None: they depend on the run."""
        starts = [task.start_at for task in self.tasks if task.start_at is not None]
        ends = [task.end_at for task in self.tasks if task.end_at is not None]
        self.bounds: tuple[Instant, Instant] = (max(starts, default=EARLIEST), min(ends, default=LATEST))
        """The logical dates within which a run has all tasks."""
        self.waits_at_start: tuple[bool, ...] = self._list_waiting()
        """By task index: True for a task that waits as long as no upstream instance has ended, whatever else is known."""
        self.run_limit_name = render(say("limit_of_run", limit=f"max_active_tasks={spec.max_active_tasks}"))
        self.edges: tuple[Edge, ...] = collect_edges(spec)
        """The dependencies of the DAG and of its tasks on other DAGs."""

    def _count_initial_tallies(self) -> tuple[tuple[int, int], ...] | None:
        if self.mapping is not None or self.scope_upstream:
            return None
        return tuple((len(above), sum(self.tasks[u].is_setup for u in above)) for above in self.upstream)

    def _list_waiting(self) -> tuple[bool, ...]:
        has_other_causes = self.mapping is not None or self.depends_on_previous_run
        return tuple(
            bool(above)
            and not has_other_causes
            and index not in self.scope_upstream
            and waits_without_ends(self.tasks[index].trigger_rule)
            for index, above in enumerate(self.upstream)
        )

    def is_mapped(self, index: int) -> bool:
        """True for a task that is mapped itself or is in a mapped group."""
        return self.mapping is not None and bool(self.mapping.levels[index])

    def count_shared_groups(self, upstream: int, downstream: int) -> int:
        """The number of mapped groups that two tasks are both in of which one waits for the other."""
        return 0 if self.mapping is None else self.mapping.shared.get((upstream, downstream), 0)


def _leaves(spec: DagSpec, downstream: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The tasks whose states decide the state of the run.

    These are the tasks that are not ignorable teardowns and have only such teardowns downstream; if there is none, all tasks
    without downstream tasks. A teardown is ignorable unless it has `on_failure_fail_dagrun`.
    """

    def ignorable(i: int) -> bool:
        return spec.tasks[i].is_teardown and not spec.tasks[i].on_failure_fail_dagrun

    leaves = tuple(i for i in range(len(spec.tasks)) if not ignorable(i) and all(ignorable(d) for d in downstream[i]))
    return leaves or tuple(i for i in range(len(spec.tasks)) if not downstream[i])


def _list_scope_upstream(scopes: SetupScopes | None) -> dict[int, tuple[int, ...]]:
    if scopes is None:
        return {}
    awaited_by_index = ((index, tuple(scopes.list_awaited(index))) for index in range(len(scopes.tasks)))
    return {index: awaited for index, awaited in awaited_by_index if awaited}


def _invert(upstream: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    dependents: dict[int, list[int]] = {}
    for index, awaited in upstream.items():
        for u in awaited:
            dependents.setdefault(u, []).append(index)
    return {u: tuple(indices) for u, indices in dependents.items()}


def depends_on_previous_run(spec: DagSpec) -> bool:
    """True when a task of the DAG depends on the previous run."""
    return any(task.depends_on_past or task.wait_for_downstream for task in spec.tasks)
