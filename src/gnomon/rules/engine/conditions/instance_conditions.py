"""The conditions of one unfinished task instance, in the order in which the rules check them. The first that is not met is the sentence of `explain`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.wait_conditions import ReleaseAct, WaitCondition, list_unmet
from gnomon.rules.decide.trigger_rules import (
    RuleOutcome,
    Verdict,
    describe_rule_met,
    describe_rule_wait,
    evaluate_trigger_rule,
)
from gnomon.rules.engine.conditions.admission_conditions import PoolObstacles, iterate_admission_conditions, name_task
from gnomon.rules.engine.conditions.attempt_conditions import (
    WITH_WORKER_STATES,
    check_attempt,
    check_deferral,
    check_next_call,
    target,
)
from gnomon.rules.engine.lifecycle.expansions import (
    compute_expansion_verdict,
    list_awaited_by_scope,
    list_awaited_upstream,
    list_open_upstream,
)
from gnomon.rules.engine.lifecycle.instance_mutation import is_hook_reason, needs_answer
from gnomon.rules.engine.lifecycle.tallies import find_tally
from gnomon.rules.engine.lifecycle.task_lifecycle import compute_previous_run_verdict, compute_verdict
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import TaskInstance

CHILDREN_MAX = 20
"""The most tasks, or upstream instances, that are conditions of their own."""
_UPSTREAM_READ_MAX = 1000
_LISTED_MAX = 5
"""The most upstream instances that a sentence names."""
START = WaitCondition("start", False, say("starts_with_next_step"))
"""Nothing but the next step of the scheduler is missing."""


def find_wait(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles | None = None
) -> WaitCondition | None:
    """The first condition that is not met; None for a finished instance."""
    if ti.state in FINISHED_TASK_STATES:
        return None
    checked = _iterate_open(engine_state, ti, now, {} if obstacles is None else obstacles, 0)
    return next((condition for condition in checked if not condition.is_met), START)


def list_instance_conditions(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> list[WaitCondition]:
    """All conditions of an unfinished instance, of which one at least is not met. `depth`: how many upstream tasks behind one another are explained."""
    if ti.state in FINISHED_TASK_STATES:
        return []
    rules = [] if _is_before_rules(ti) or _find_own_wait(engine_state, ti, now) else _list_met_rules(ti)
    conditions = [*rules, *_iterate_open(engine_state, ti, now, obstacles, depth)]
    return conditions if list_unmet(conditions) else [*conditions, START]


def _is_before_rules(ti: TaskInstance) -> bool:
    """True while the rules of the instance have not let it start."""
    return ti.state is None and not ti.is_queued


def _find_own_wait(engine_state: EngineState, ti: TaskInstance, now: Instant) -> WaitCondition | None:
    """The condition of an instance that has begun and that nothing but itself, its trigger or a time can continue."""
    if ti.state is not None and ti.state in WITH_WORKER_STATES:
        return check_attempt(engine_state, ti, ti.state)
    if ti.state in WITHOUT_PROCESS_STATES and ti.deferral is not None and not ti.is_resumption:
        return check_deferral(ti, ti.deferral)
    if ti.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and ti.resume_at is not None and ti.resume_at > now:
        return check_next_call(ti, ti.resume_at)
    return None


def _iterate_open(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> Iterator[WaitCondition]:
    """The conditions from the first that may be unmet."""
    own = _find_own_wait(engine_state, ti, now)
    if own is not None:
        yield own
    elif _is_before_rules(ti):
        yield from _iterate_rules(engine_state, ti, now, obstacles, depth)
    elif needs_answer(ti):
        yield WaitCondition("mutation_hook", False, _describe_hook_wait(ti))
    else:
        yield from iterate_admission_conditions(engine_state, ti, obstacles)


def _describe_hook_wait(ti: TaskInstance) -> Sentence:
    """What `task_instance_mutation_hook` has not said yet, or why it cannot be asked."""
    return quote(ti.reason or "") if is_hook_reason(ti.reason) else say("hook_is_asked")


def _list_met_rules(ti: TaskInstance) -> list[WaitCondition]:
    """The rules of an instance that they have let start."""
    return [condition for condition in (_check_met_rule(ti), _check_previous_run(ti)) if condition is not None]


def _check_met_rule(ti: TaskInstance) -> WaitCondition | None:
    if not ti.task.upstream and not ti.needs_expansion:
        return None
    return WaitCondition("trigger_rule", True, describe_rule_met(ti.task.trigger_rule, find_tally(ti)))


def _check_previous_run(ti: TaskInstance) -> WaitCondition | None:
    """Whether the previous run lets the instance start; None if it does not depend on one."""
    if not ti.run.graph.depends_on_previous_run:
        return None
    verdict = compute_previous_run_verdict(ti)
    if verdict.outcome is RuleOutcome.WAIT:
        return WaitCondition("previous_run", False, verdict.reason or say("rules_are_evaluated"))
    return WaitCondition("previous_run", True, say("previous_run_lets_it_start"))


def _iterate_rules(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> Iterator[WaitCondition]:
    """The trigger rule with the upstream instances, the previous run, and what else keeps the instance from being ready."""
    waits = False
    if ti.task.upstream or ti.needs_expansion:
        verdict = _evaluate_rule(ti)
        waits = verdict.outcome is RuleOutcome.WAIT
        if waits:
            upstream = _list_upstream_conditions(engine_state, ti, now, obstacles, depth - 1) if depth > 0 else []
            yield WaitCondition("trigger_rule", False, _describe_rule(ti, verdict), children=tuple(upstream))
        else:
            yield WaitCondition("trigger_rule", True, describe_rule_met(ti.task.trigger_rule, find_tally(ti)))
    previous, verdict = _check_previous_run(ti), compute_verdict(ti)
    if previous is not None:
        # A task that is to be skipped waits for the previous run too: the reason says what becomes of it then.
        yield previous if waits or previous.is_met else replace(previous, sentence=verdict.reason or previous.sentence)
    if waits or (previous is not None and not previous.is_met):
        return
    if verdict.outcome is RuleOutcome.WAIT and verdict.reason:
        yield WaitCondition("upstream_dags", False, say("it_waits", why=verdict.reason))
    else:
        yield WaitCondition("rules", False, say("rules_are_evaluated"))


def _evaluate_rule(ti: TaskInstance) -> Verdict:
    if ti.needs_expansion:
        return compute_expansion_verdict(ti)
    return evaluate_trigger_rule(ti.task.trigger_rule, find_tally(ti))


def _describe_rule(ti: TaskInstance, verdict: Verdict) -> Sentence:
    if verdict.reason:
        return verdict.reason
    rule = describe_rule_wait(ti.task.trigger_rule, find_tally(ti))
    upstream = [_describe_state(other) for other in itertools.islice(list_open_upstream(ti), _LISTED_MAX + 1)]
    if not upstream:
        return rule
    code = "rule_waits_for" if len(upstream) <= _LISTED_MAX else "rule_waits_for_more"
    return say(code, rule=rule, tasks=tuple(upstream[:_LISTED_MAX]))


def _describe_state(ti: TaskInstance) -> Sentence:
    if ti.state is None:
        return say("task_without_status", task=name_task(ti))
    return say("task_in_state", task=name_task(ti), state=ti.state.value)


def _list_upstream_conditions(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> list[WaitCondition]:
    """The upstream instances, and those that it waits for because of the scopes of setups; those that have not ended first."""
    counting = itertools.chain(list_awaited_by_scope(ti), list_awaited_upstream(ti))
    instances = sorted(
        itertools.islice(counting, _UPSTREAM_READ_MAX), key=lambda other: other.state in FINISHED_TASK_STATES
    )
    return [_check_upstream(engine_state, other, now, obstacles, depth) for other in instances[:CHILDREN_MAX]]


def _check_upstream(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles, depth: int
) -> WaitCondition:
    if ti.state in FINISHED_TASK_STATES:
        return WaitCondition("upstream_task", True, _describe_state(ti), ti.ended_at)
    children = tuple(list_instance_conditions(engine_state, ti, now, obstacles, depth))
    release = target(ReleaseAct.MARK_TASK, ti)
    return WaitCondition("upstream_task", False, _describe_state(ti), find_since(ti), release, children)


def find_since(ti: TaskInstance) -> Instant | None:
    """Since when the instance is in its state, as far as memory has it."""
    if ti.deferral is not None and not ti.is_resumption:
        return ti.deferral.created_at
    return ti.started_at if ti.state in WITH_WORKER_STATES else ti.ended_at
