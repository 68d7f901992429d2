"""DAGs whose runs no other DAG starts, delays or waits for: as long as there are slots for all, each can be projected alone.

`IndependentDags` finds them and plans their runs, with the planner of the scheduler. The runs are those of every future: a plan depends on the ends of runs only where a limit of runs is reached, which
`independent_runs.py` looks at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from gnomon.entry.projection.begun_runs import BegunRun, KnownRun, describe_begun
from gnomon.entry.projection.run_widths import measure_width
from gnomon.entry.projection.undisturbed_graphs import GraphPlan, build_plan
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, GroupState, PlanOutcome, PoolRecord, RunRecord, TaskRecord
from gnomon.model.slots import PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec, collect_edges
from gnomon.model.states import DagRunType
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.state.engine_state import EngineState, KeptGraphs
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning import compute_jitter
from gnomon.rules.timetables.registry import build
from gnomon.services.scheduler.planner import Planner
from gnomon.services.scheduler.settings import SchedulerSettings

FIRST_RUN_PK = 1 << 48
"""Runs of independent DAGs have numbers from here on, which no run of a store has."""
HOUR_US = 3600 * SECOND
Resource = str | None
"""A pool with a limit; None: the slots of all workers."""


@dataclass(slots=True)
class IndependentDag:
    """One of these DAGs, with what its runs have in common."""

    dag: Dag
    plan: GraphPlan
    runs_limit: int
    """The most runs at the same time; with more, the engine decides."""
    attempts: int
    """The tasks of a run that run code."""
    widths: dict[Resource, int]
    """The most slots that one run takes at the same time."""
    steps: tuple[tuple[tuple[int, ...], TaskSpec], ...]
    """Its tasks, each with the indexes of those before it."""
    dag_id: str
    begun: tuple[BegunRun, ...] = ()
    """Those of its runs that have begun."""
    planned: list[KnownRun] = field(default_factory=list)
    """Its coming runs, in the order of their creation."""
    run_ids: set[str] = field(default_factory=set)
    """Those of the coming runs."""


class IndependentDags:
    """The independent DAGs of a deployment, and their runs up to an instant."""

    def __init__(
        self,
        state: GroupState,
        pools: Iterable[PoolRecord],
        settings: SchedulerSettings,
        start: Instant,
        graphs: KeptGraphs | None = None,
        excluded: Iterable[int] = (),
    ) -> None:
        """`excluded`: DAGs (dag_pk) that have more that is unfinished than the state says. Its records of DAGs are changed: give copies."""
        self.start = self._now = start
        self._state = engine_state = EngineState(settings.limits)
        engine_state.graphs = graphs
        engine_state.update_pools(pools)
        load_groups(engine_state, GroupState(state.dags, [], []), dict.fromkeys(range(GROUPS), 1))
        self._planner = Planner(engine_state, settings.misfire_grace_s, None, settings.max_waiting_runs)
        self._batch = settings.plan_batch
        self._last_pk = FIRST_RUN_PK
        unfinished = _Unfinished(state)
        outside = {*excluded, *(backfill.dag_pk for backfill in state.backfills), *_list_connected(state.dags)}
        self.members: dict[int, IndependentDag] = {
            dag_pk: member
            for dag_pk, dag in engine_state.dags.items()
            if dag_pk not in outside and (member := self._examine(dag, unfinished)) is not None
        }
        """By dag_pk. Those that turn out to need the engine are removed."""
        mixed = list_mixed_pools(
            dag.graph.spec for dag_pk, dag in engine_state.dags.items() if dag_pk not in self.members
        )
        self.members = {
            dag_pk: member
            for dag_pk, member in self.members.items()
            if mixed.isdisjoint(list_pools(member.dag.graph.spec))
        }
        self._forget_others()
        self._planner.enqueue(self.members)
        self.run_out = 0
        """How long, in microseconds, runs went on after the time that was asked for, in the futures so far."""

    def _forget_others(self) -> None:
        """Plan the members alone."""
        for dag_pk in [dag_pk for dag_pk in self._state.dags if dag_pk not in self.members]:
            del self._state.dags[dag_pk]

    def lengthen(self, run_out: int) -> None:
        """Follow the runs of later futures so far, in whole hours, after the time that is asked for."""
        self.run_out = max(self.run_out, -(-run_out // HOUR_US) * HOUR_US)

    def _examine(self, dag: Dag, unfinished: _Unfinished) -> IndependentDag | None:
        spec, record, graph = dag.graph.spec, dag.record, dag.graph
        if (
            dag.hold_reason is not None
            or record.error is not None
            or record.dependency_error is not None
            or spec.asset_condition is not None
            or not spec.timetable.builtin
            or not spec.timetable.can_be_scheduled
            or _follows_runs(spec.timetable)
            or mixes_pools(spec)
            or compute_jitter(spec)
        ):
            return None
        plan, begun = build_plan(self._state, graph), unfinished.list_begun(dag)
        if plan is None or begun is None:
            return None
        limit = 1 if spec.overlap == "skip" else active_runs_limit(dag)
        widths: dict[Resource, int] = {None: measure_width(plan.tasks, plan.upstream, None)}
        for pool in {pool.name: pool for pool in plan.pools if (pool.slots or 0) >= 0}.values():
            widths[pool.name] = measure_width(plan.tasks, plan.upstream, pool.name)
        attempts = sum(task.runs_code for task in plan.tasks)
        steps = tuple(zip(plan.upstream, plan.tasks, strict=True))
        used = {name: width for name, width in widths.items() if width}
        return IndependentDag(dag, plan, limit, attempts, used, steps, record.dag_id, begun)

    def plan_until(self, until: Instant, count: Callable[[int, Instant], object] | None = None) -> None:
        """Plan the runs that are created before `until`. `count`: is told how many attempts are planned at each instant; what it raises ends the plan."""
        planner = self._planner
        while (at := planner.wake_at(self._now)) is not None and at < until:
            self._now = now = max(self._now, at)
            for change in planner.plan(now, self._batch):
                planner.apply_outcome(change, PlanOutcome(change.dag_pk, accepted=True), now)
                member = self.members.get(change.dag_pk)
                if member is None:
                    continue
                for planned in change.runs:
                    self._last_pk += 1
                    member.planned.append(
                        KnownRun(self._last_pk, planned.run_id, DagRunType.SCHEDULED, planned.run_after, now, now)
                    )
                    member.run_ids.add(planned.run_id)
                if count is not None:
                    count(member.attempts * len(change.runs), now)
                if (
                    change.error is not None
                    or len(member.run_ids) < len(member.planned)  # a run id is taken
                    or not all(_has_all_tasks(member.dag, planned) for planned in change.runs)
                ):
                    del self.members[change.dag_pk]  # the engine says what follows
                    self._forget_others()
        self._now = max(self._now, until)

    def count_held(self, dag_pks: Iterable[int]) -> Counter[str]:
        """The slots that tasks of these DAGs hold at the start, by pool."""
        held: Counter[str] = Counter()
        for dag_pk in dag_pks:
            member = self.members[dag_pk]
            for begun in member.begun:
                for task, state in zip(member.plan.tasks, begun.tasks, strict=True):
                    if state is not None and state.is_live:
                        held[task.pool] += task.pool_slots
        return held

    def remove_users(self, resources: Iterable[Resource]) -> None:
        """Leave the DAGs to the engine that use one of these."""
        names = set(resources)
        self.members = {dag_pk: member for dag_pk, member in self.members.items() if names.isdisjoint(member.widths)}
        self._forget_others()


class _Unfinished:
    """The unfinished runs of a state, by DAG."""

    def __init__(self, state: GroupState) -> None:
        self._state = state
        self._runs: dict[int, list[RunRecord]] = defaultdict(list)
        self._rows: dict[int, list[TaskRecord]] = defaultdict(list)
        for run in state.runs:
            self._runs[run.dag_pk].append(run)
        for row in state.tasks:
            self._rows[row.run_pk].append(row)

    def list_begun(self, dag: Dag) -> tuple[BegunRun, ...] | None:
        """The unfinished runs of the DAG; None: one of them has not begun, or the engine is to say what follows."""
        begun: list[BegunRun] = []
        for run in self._runs.get(dag.record.dag_pk, ()):
            described = describe_begun(dag.graph, dag.record.version_pk, run, self._rows[run.run_pk])
            if described is None or run.run_pk in self._state.run_waits or run.run_pk in self._state.deadlines:
                return None
            begun.append(described)
        return tuple(begun)


def _list_connected(dags: Iterable[DagRecord]) -> Iterator[int]:
    """The DAGs (dag_pk) that wait for others, or for which others wait."""
    pks = {dag.dag_id: dag.dag_pk for dag in dags}
    for dag in dags:
        for edge in collect_edges(dag.spec):
            yield dag.dag_pk
            if edge.dependency.dag_id in pks:
                yield pks[edge.dependency.dag_id]


def _follows_runs(ref: TimetableRef) -> bool:
    try:
        return build(ref).follows_runs
    except Exception:  # the engine's planner shows the error on the DAG
        return True


def _has_all_tasks(dag: Dag, planned: PlannedRun) -> bool:
    """Whether the logical date is within the dates of all tasks."""
    begin, end = dag.graph.bounds
    return planned.logical_at is None or begin <= planned.logical_at <= end


def mixes_pools(spec: DagSpec) -> bool:
    """Whether tasks of several pools may wait for the same limit of their run: which is first depends on the turns of the pools, and so on tasks of others that are ready at the same instant."""
    attempts = sum(task.runs_code for task in spec.tasks)
    is_mapped = bool(spec.group_expansions) or any(task.expansion is not None for task in spec.tasks)
    return len(list_pools(spec)) > 1 and (is_mapped or attempts > spec.max_active_tasks)


def list_mixed_pools(specs: Iterable[DagSpec]) -> set[str]:
    """The pools that are used by DAGs with such tasks."""
    return {pool for spec in specs if mixes_pools(spec) for pool in list_pools(spec)}


def list_pools(spec: DagSpec) -> set[str]:
    """The pools of its tasks."""
    return {task.pool for task in spec.tasks if task.runs_code}
