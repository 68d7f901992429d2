"""Which graphs of tasks have undisturbed runs, and what all of these have in common: asked of the engine's rules, once for each graph."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import RuleOutcome, Tally, evaluate_trigger_rule
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.limits import Pool
from gnomon.rules.engine.state.task_graph import TaskGraph


@dataclass(slots=True)
class GraphPlan:
    """What is known of all undisturbed runs of one graph. By task index."""

    upstream: tuple[tuple[int, ...], ...]
    upstream_counts: list[int]
    downstream: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]
    pools: list[Pool]
    tasks: tuple[TaskSpec, ...]
    max_active: int
    waiting: frozenset[int]
    """The tasks that wait for other DAGs: when one is the next, the engine takes the run."""


def build_plan(state: EngineState, graph: TaskGraph) -> GraphPlan | None:
    """What the undisturbed runs of a graph have in common; None: the engine has something to decide in each."""
    if (
        not _is_plain(graph.spec)
        or graph.mapping is not None
        or graph.scopes is not None
        or graph.depends_on_previous_run
    ):
        return None
    counts = [len(above) for above in graph.upstream]
    executors = state.limits.executors
    for task, count in zip(graph.tasks, counts, strict=True):
        pool = state.pools.get(task.pool)
        has_choice = executors is not None and executors.is_a_choice(task.executor)
        if (
            has_choice
            or pool is None
            or pool.slots is None
            or not _is_plain_task(task)
            or not _begins_after_all(task, count)
        ):
            return None
    roots = tuple(index for index, count in enumerate(counts) if not count)
    pools = [state.pools[task.pool] for task in graph.tasks]
    waiting = frozenset(index for index, task in enumerate(graph.tasks) if task.depends_on)
    return GraphPlan(
        graph.upstream, counts, graph.downstream, roots, pools, graph.tasks, graph.spec.max_active_tasks, waiting
    )


def _is_plain(spec: DagSpec) -> bool:
    """Whether nothing but the ends of its tasks decides about a run."""
    return bool(spec.tasks) and not (
        spec.overlap == "cancel_running"
        or spec.dagrun_timeout_s is not None
        or spec.deadlines
        or spec.run_callbacks
        or spec.run_listeners
        or spec.mutates_instances
    )


def _is_plain_task(task: TaskSpec) -> bool:
    return not (
        task.start_wait is not None
        or task.outlets
        or task.max_active_tis_per_dag is not None
        or task.max_active_tis_per_dagrun is not None
    )


def _begins_after_all(task: TaskSpec, count: int) -> bool:
    """Whether its trigger rule lets the task run once all `count` tasks before it have succeeded, and not earlier."""
    tally = Tally(count)
    for _ in range(count):
        if evaluate_trigger_rule(task.trigger_rule, tally).outcome is not RuleOutcome.WAIT:
            return False
        tally.add(S.SUCCESS, 1)
    return evaluate_trigger_rule(task.trigger_rule, tally).outcome is RuleOutcome.RUN
