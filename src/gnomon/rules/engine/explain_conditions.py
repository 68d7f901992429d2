"""Why a run or a task instance waits, as conditions: the data behind the sentences of `explain`, from the same rules."""

from __future__ import annotations

import itertools

from gnomon.model.ids import format_map_indices
from gnomon.model.instants import Instant, iso
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.rules.decide.trigger_rules import RuleOutcome, Tally, describe_rule_met, evaluate_trigger_rule
from gnomon.rules.engine.admission_conditions import PoolObstacles, describe_hold, iterate_admission_conditions
from gnomon.rules.engine.explain import describe_queued_run, describe_stop, find_wait_reason
from gnomon.rules.engine.lifecycle.expansions import (
    compute_expansion_verdict,
    list_awaited_by_scope,
    list_awaited_upstream,
)
from gnomon.rules.engine.lifecycle.instance_mutation import needs_answer
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.lifecycle.tallies import find_tally
from gnomon.rules.engine.lifecycle.task_lifecycle import compute_previous_run_verdict
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance

DEPTH_MAX = 3
"""How many upstream tasks behind one another are explained."""
CHILDREN_MAX = 20
"""The most tasks, or upstream instances, that are conditions of their own."""
_WITH_WORKER = (S.QUEUED, S.RUNNING, S.RESTARTING)


def list_run_conditions(engine_state: EngineState, run_pk: int, now: Instant) -> list[WaitCondition]:
    """The conditions of an unfinished run; without those of other DAGs, which the store knows slot by slot. [] when it is not in memory."""
    run = engine_state.runs.get(run_pk)
    if run is None:
        return []
    if run.record.state is DagRunState.QUEUED:
        return _list_queued_run_conditions(run, now)
    obstacles: PoolObstacles = {}
    tasks = (
        condition
        for instances in run.task_instances
        for condition in _describe_task(engine_state, list(instances.values()), now, obstacles)
    )
    stop = describe_stop(run)
    stopped = [] if stop is None else [WaitCondition("torn_down", False, stop)]
    return [describe_hold(run.dag), *stopped, *itertools.islice(tasks, CHILDREN_MAX)]


def list_task_conditions(
    engine_state: EngineState, run_pk: int, task_id: str, map_index: int, now: Instant
) -> list[WaitCondition]:
    """The conditions of an unfinished task instance; [] when it is finished, does not exist or its run is not in memory."""
    run = engine_state.runs.get(run_pk)
    index = None if run is None else run.graph.index_of.get(task_id)
    ti = None if run is None or index is None else run.find_task_instance(index, map_index)
    if run is None or ti is None:
        return []
    if run.record.state is DagRunState.QUEUED and ti.state is None:
        text = f"its run is {describe_queued_run(run.dag, run, now)}"
        return [
            WaitCondition(
                "run_started", False, text, run.record.queued_at, children=tuple(_list_queued_run_conditions(run, now))
            )
        ]
    return _list_instance_conditions(engine_state, ti, now, {}, DEPTH_MAX)


def _list_queued_run_conditions(run: DagRun, now: Instant) -> list[WaitCondition]:
    dag, record = run.dag, run.record
    due = record.run_after <= now
    conditions = [
        describe_hold(dag),
        WaitCondition(
            "run_due",
            due,
            f"it may start {'since' if due else 'at'} {iso(record.run_after)}",
            record.run_after if due else None,
        ),
    ]
    if run.backfill is not None:
        wait = run.backfill.describe_wait()
        pk = run.backfill.record.backfill_pk
        return [
            *conditions,
            WaitCondition(
                "backfill_turn",
                wait is None,
                wait or f"backfill {pk} starts it when the earlier runs of the backfill have started",
            ),
        ]
    limit, count = active_runs_limit(dag), dag.running_count
    runs = f"{count} running run{'s' if count != 1 else ''}"
    if count < limit:
        return [*conditions, WaitCondition("max_active_runs", True, f"max_active_runs={limit} has room: {runs}")]
    release = ReleaseTarget(ReleaseAct.RAISE_LIMIT, dag.record.dag_id, option="max_active_runs")
    return [
        *conditions,
        WaitCondition(
            "max_active_runs", False, f"max_active_runs={limit} is reached by {runs}", record.queued_at, release
        ),
    ]


def _describe_task(
    engine_state: EngineState, instances: list[TaskInstance], now: Instant, obstacles: PoolObstacles
) -> list[WaitCondition]:
    """A condition for the unfinished instances of one task that wait for the same. What is met, and what upstream tasks wait for, is not repeated:
    these tasks are conditions of the run themselves."""
    by_reason: dict[str, list[TaskInstance]] = {}
    for ti in instances:
        why = find_wait_reason(engine_state, ti, now, obstacles)
        if why is not None:
            by_reason.setdefault(why, []).append(ti)
    conditions = []
    for why, waiting in by_reason.items():
        first = waiting[0]
        name = (
            first.name()
            if len(waiting) == 1
            else f"{first.task.task_id}[{format_map_indices([ti.map_index for ti in waiting])}] ({len(waiting)} instances)"
        )
        unmet = [one for one in _list_instance_conditions(engine_state, first, now, obstacles, 0) if not one.is_met]
        release = unmet[0].release if len(unmet) == 1 else None
        if release is not None and release.task_id is not None and len(waiting) > 1:
            release = None  # an act on the first instance alone
        children = tuple(unmet) if len(unmet) > 1 else ()
        conditions.append(WaitCondition("task", False, f"{name}: {why}", _find_since(first), release, children))
    return conditions


def _list_instance_conditions(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> list[WaitCondition]:
    why = find_wait_reason(engine_state, ti, now, obstacles)
    if why is None:
        return []
    if ti.state in _WITH_WORKER:
        return [WaitCondition("attempt", False, why, ti.started_at, _target(ReleaseAct.MARK_TASK, ti))]
    if ti.state in WITHOUT_PROCESS_STATES and ti.deferral is not None and not ti.is_resumption:
        return [_describe_deferral_wait(ti, why)]
    if ti.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and ti.resume_at is not None and ti.resume_at > now:
        return [WaitCondition("retry_time", False, why, ti.ended_at, _target(ReleaseAct.CLEAR_TASK, ti))]
    conditions = _list_rule_conditions(engine_state, ti, now, obstacles, depth)
    if ti.state is None and not ti.is_queued:
        if all(condition.is_met for condition in conditions):
            conditions.append(WaitCondition("rules", False, why))
        return conditions
    if needs_answer(ti):
        return [*conditions, WaitCondition("mutation_hook", False, why)]
    return [*conditions, *iterate_admission_conditions(engine_state, ti, obstacles)]


def _describe_deferral_wait(ti: TaskInstance, why: str) -> WaitCondition:
    deferral = ti.deferral
    assert deferral is not None
    if deferral.request.hitl is not None:
        return WaitCondition("answer", False, why, deferral.created_at, _target(ReleaseAct.ANSWER, ti))
    kind = "trigger" if deferral.due_at is None else "timer"
    return WaitCondition(kind, False, why, deferral.created_at, _target(ReleaseAct.MARK_TASK, ti))


def _list_rule_conditions(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> list[WaitCondition]:
    """The trigger rule with the upstream instances, and the previous run if the task depends on it."""
    if not ti.task.upstream and not ti.needs_expansion and not ti.run.graph.depends_on_previous_run:
        return []
    conditions = []
    if ti.task.upstream or ti.needs_expansion:
        tally = find_tally(ti)
        verdict = (
            compute_expansion_verdict(ti) if ti.needs_expansion else evaluate_trigger_rule(ti.task.trigger_rule, tally)
        )
        is_met = verdict.outcome is not RuleOutcome.WAIT or ti.is_queued or ti.state is not None
        text = _describe_rule(engine_state, ti, tally, now, is_met=is_met)
        upstream = (
            _list_upstream_conditions(engine_state, ti, now, obstacles, depth - 1) if depth > 0 and not is_met else []
        )
        conditions.append(WaitCondition("trigger_rule", is_met, text, None, children=tuple(upstream)))
    if ti.run.graph.depends_on_previous_run:
        previous = compute_previous_run_verdict(ti)
        if previous.reason or previous.outcome is RuleOutcome.RUN:
            is_met = previous.outcome is not RuleOutcome.WAIT
            conditions.append(
                WaitCondition("previous_run", is_met, previous.reason or "the previous run lets it start")
            )
    return conditions


def _describe_rule(engine_state: EngineState, ti: TaskInstance, tally: Tally, now: Instant, *, is_met: bool) -> str:
    if is_met:
        return describe_rule_met(ti.task.trigger_rule, tally)
    return find_wait_reason(engine_state, ti, now) or ""


def _list_upstream_conditions(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> list[WaitCondition]:
    """The upstream instances, and those that it waits for because of the scopes of setups; those that have not ended first."""
    instances = sorted(
        itertools.islice(itertools.chain(list_awaited_by_scope(ti), list_awaited_upstream(ti)), 1000),
        key=lambda other: other.state in FINISHED_TASK_STATES,
    )
    conditions = []
    for other in instances[:CHILDREN_MAX]:
        text = f"{other.name()} ({other.state or 'no status'})"
        if other.state in FINISHED_TASK_STATES:
            conditions.append(WaitCondition("upstream_task", True, text, other.ended_at))
            continue
        children = tuple(_list_instance_conditions(engine_state, other, now, obstacles, depth))
        conditions.append(
            WaitCondition(
                "upstream_task", False, text, _find_since(other), _target(ReleaseAct.MARK_TASK, other), children
            )
        )
    return conditions


def _find_since(ti: TaskInstance) -> Instant | None:
    """Since when the instance is in its state, as far as memory has it."""
    if ti.deferral is not None and not ti.is_resumption:
        return ti.deferral.created_at
    return ti.started_at if ti.state in _WITH_WORKER else ti.ended_at


def _target(act: ReleaseAct, ti: TaskInstance) -> ReleaseTarget:
    return ReleaseTarget(act, ti.run.dag.record.dag_id, ti.run.record.run_id, ti.task.task_id, ti.map_index)
