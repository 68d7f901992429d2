"""Facts that rules of alerts must know: recorded with the end of a run or a try, only where a rule asks."""

from __future__ import annotations

from dataclasses import replace

from gnomon.model.alerts import AlertRuleSpec
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine.state.engine_state import EngineLimits

from .world import World, chain, dag_record

ALL = frozenset({"failure", "task_failure", "retry"})


def _world(*tasks: TaskSpec, kinds: frozenset[str] = ALL, **fields: object) -> World:
    return World(dag_record(tasks or chain("a"), **fields), limits=EngineLimits(alert_kinds=kinds))


def test_a_failed_run_is_recorded_with_its_reason_in_the_step_that_ends_it() -> None:
    world = _world()
    run = world.start()
    events = world.end("a", "failed", reason="no rows").changes.alert_events
    assert [(event.kind, event.run_pk, event.facts.task_id, event.facts.reason) for event in events] == [
        ("task_failure", run.run_pk, "a", "no rows"),
        ("failure", run.run_pk, None, "task a failed: no rows"),
    ]


def test_a_retry_is_recorded_with_the_time_of_the_next_try() -> None:
    world = _world(TaskSpec(task_id="a", retries=1, retry_delay_s=60.0))
    world.start()
    (event,) = world.end("a", "failed").changes.alert_events
    assert (event.kind, event.facts.try_number, event.facts.retry_at) == ("retry", 1, world.now + 60_000_000)


def test_a_success_records_nothing() -> None:
    world = _world()
    world.start()
    assert world.end("a").changes.alert_events == []


def test_nothing_is_recorded_that_no_rule_asks_for() -> None:
    world = _world(kinds=frozenset())
    world.start()
    assert world.end("a", "failed").changes.alert_events == []


def test_a_rule_of_the_dag_asks_for_its_kind() -> None:
    world = _world(kinds=frozenset(), alerts=(AlertRuleSpec(when="failure", to=("ops",)),))
    world.start()
    assert [event.kind for event in world.end("a", "failed").changes.alert_events] == ["failure"]


def test_a_timeout_of_the_run_is_a_failure() -> None:
    world = _world(dagrun_timeout_s=10.0)
    world.start()
    assert [event.kind for event in world.step(seconds=11).changes.alert_events] == ["failure"]


def test_a_paused_dag_records_nothing() -> None:
    world = _world()
    world.start()
    dag = next(iter(world.engine_state.dags.values()))
    dag.record = replace(dag.record, paused=True)
    assert world.end("a", "failed").changes.alert_events == []
