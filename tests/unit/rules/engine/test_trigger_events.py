"""Tasks that wait without a worker: who resumes, who times out, what a take-over knows, and what people do to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rules.engine.told import tell_task
from tests.unit.rules.engine.world import World, chain, dag_record

from gnomon.model.attempts import XCOM_MAX_BYTES
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.lifecycle.run_lifecycle import MAX_STARTED_PER_STEP
from gnomon.rules.engine.step import MAX_READY_BY_TIMERS, MAX_TIMERS_PER_STEP
from gnomon.rules.engine.step_context import StepResult

TRIGGER = Deferral(classpath="plugin.Trigger", next_method="go_on")
EVENT = DeferralResult(outcome="event", payload='"hello"')


def deferred(world: World, wait: Deferral = TRIGGER, **fields: int) -> RunRecord:
    """A run whose first task has deferred."""
    run = world.start(**fields)
    world.end("a", "deferred", wait=wait)
    return run


def timer(world: World, seconds: float, **fields: Any) -> Deferral:
    return Deferral(
        classpath="DateTimeTrigger", next_method="go_on", due_at=world.now + int(seconds * SECOND), **fields
    )


def ended(world: World, run: RunRecord, fired: DeferralResult = EVENT, defer_seq: int = 1) -> None:
    world.step(e.DeferralEnded(TaskKey(run.run_pk, 0, -1), defer_seq, fired))


def take_over(world: World) -> None:
    """Another scheduler reads what the store has."""
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", world.slots))


def same(world: World) -> None:
    pass


both = pytest.mark.parametrize("then", [same, take_over])


@both
def test_a_deferred_task_holds_nothing_and_goes_on_with_its_event_in_the_same_try(
    then: Callable[[World], None],
) -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world)
    started_at = world.rows[TaskKey(run.run_pk, 0, -1)].started_at
    then(world)
    assert world.states(run)["a"] == "deferred"
    assert (world.live(), world.engine_state.live_attempt_count, world.pools["default_pool"][1]) == ([], 0, 0)
    ended(world, run)
    then(world)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.resume.next_method == "go_on"
    assert attempt.resume.result == EVENT
    assert (attempt.try_number, attempt.seq) == (1, 2)
    world.end("a")
    assert world.rows[TaskKey(run.run_pk, 0, -1)].started_at == started_at
    assert world.waits == {} and world.killed_waits == []
    world.end("b")
    assert world.runs[run.run_pk].state is DagRunState.SUCCESS


@both
def test_only_the_first_event_of_the_deferral_that_waits_counts(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world)
    ended(world, run, defer_seq=7)
    assert world.states(run)["a"] == "deferred"
    ended(world, run)
    ended(world, run, DeferralResult(outcome="failed"))
    world.end("a", "deferred", wait=TRIGGER)
    ended(world, run, defer_seq=1)
    then(world)
    assert world.states(run)["a"] == "deferred"
    ended(world, run, defer_seq=2)
    assert len(world.live("a")) == 1


@both
@pytest.mark.parametrize(("outcome", "state"), [("success", "success"), ("skipped", "skipped"), ("failed", "failed")])
def test_an_event_that_ends_the_task_needs_no_worker(then: Callable[[World], None], outcome: str, state: str) -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world)
    then(world)
    ended(world, run, DeferralResult(outcome=outcome, xcoms={"answer": "42"}))
    assert world.states(run)["a"] == state
    assert world.waits == {} and world.live() == []


@pytest.mark.parametrize("outcome", ["failed", "error"])
def test_a_failed_wait_is_tried_again_from_the_start(outcome: str) -> None:
    world = World(dag_record(chain("a", retries=1, retry_delay_s=10.0)))
    run = deferred(world)
    ended(world, run, DeferralResult(outcome=outcome, reason="ValueError: no", traceback="Traceback ..."))
    assert world.states(run)["a"] == "up_for_retry"
    world.step(seconds=11)
    (attempt,) = world.live("a")
    assert (attempt.resume, attempt.try_number) == (None, 2)


def test_a_time_of_a_failed_wait_does_not_hasten_the_next_try() -> None:
    world = World(dag_record(chain("a", retries=1, retry_delay_s=100.0)))
    run = deferred(world, Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=10.0))
    ended(world, run, DeferralResult(outcome="error", reason="ValueError: no"))
    world.step(seconds=11)
    assert world.states(run)["a"] == "up_for_retry"
    world.step(seconds=90)
    assert [attempt.try_number for attempt in world.live()] == [2]


def test_an_event_without_a_method_to_go_on_with_fails_the_task_by_the_name_of_its_trigger() -> None:
    world = World(dag_record(chain("a", retries=3)))
    run = deferred(world, Deferral(classpath="plugin.Trigger"))
    ended(world, run)
    assert world.states(run)["a"] == "failed"
    assert "plugin.Trigger" in str(world.rows[TaskKey(run.run_pk, 0, -1)].reason)


@both
def test_a_timer_fires_at_its_instant_without_a_triggerer(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    world.end("a", "deferred", wait=timer(world, 60))
    then(world)
    due_at = world.waits[TaskKey(run.run_pk, 0, -1)].due_at
    assert world.step(seconds=30).wake_at == due_at
    assert world.states(run)["a"] == "deferred"
    world.step(seconds=30)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.resume.result == DeferralResult(outcome="event", due_at=due_at)


def test_a_timer_that_ends_its_task_and_one_that_is_past_already() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.start()
    world.end("a", "deferred", wait=timer(world, -5, ends_task=True))
    assert world.states(run)["a"] == "success" and world.waits == {}
    world.end("b", "deferred", wait=timer(world, -5))
    assert world.live("b")[0].resume is not None


@both
def test_a_wait_times_out_and_its_trigger_is_told(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world, Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=30))
    then(world)
    world.step(seconds=31)
    assert world.states(run)["a"] == "failed"
    assert "timeout of 30 s" in str(world.rows[TaskKey(run.run_pk, 0, -1)].reason)
    assert world.killed_waits == [TaskKey(run.run_pk, 0, -1)]


@pytest.mark.parametrize(("soft", "state"), [(True, "skipped"), (False, "failed")])
def test_a_sensor_that_times_out_is_not_tried_again_and_may_be_skipped(soft: bool, state: str) -> None:
    world = World(dag_record(chain("a", retries=5, is_sensor=True, soft_fail=soft)))
    run = deferred(world, Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=30))
    world.step(seconds=31)
    assert world.states(run)["a"] == state


@both
def test_the_execution_timeout_is_one_deadline_over_all_waits_of_a_try(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a", execution_timeout_s=100.0, retries=1, retry_delay_s=5.0)))
    run = deferred(world)
    began = world.rows[TaskKey(run.run_pk, 0, -1)].started_at
    assert began is not None
    world.step(seconds=60)
    ended(world, run)
    (attempt,) = world.live("a")
    assert attempt.deadline_at == began + 100 * SECOND
    world.end("a", "deferred", wait=TRIGGER)
    then(world)
    world.step(seconds=45)
    assert world.states(run)["a"] == "up_for_retry"
    world.step(seconds=6)
    assert world.live("a")[0].deadline_at is None, "the next try has its own time"


@both
def test_timers_of_a_paused_dag_fire_when_it_goes_on_but_its_timeouts_run(then: Callable[[World], None]) -> None:
    dag = dag_record(chain("a"))
    world = World(dag)
    run = world.start()
    world.end("a", "deferred", wait=timer(world, 10))
    world.dags[1] = replace(dag, paused=True)
    world.step(e.DagRead(world.dags[1]))
    then(world)
    world.step(seconds=20)
    assert world.states(run)["a"] == "deferred" and world.live() == []
    world.dags[1] = replace(dag, paused=False)
    world.step(e.DagRead(world.dags[1]))
    assert len(world.live("a")) == 1
    world.end("a", "deferred", wait=timer(world, 100, timeout_s=10))
    world.dags[1] = replace(dag, paused=True)
    world.step(e.DagRead(world.dags[1]))
    world.step(seconds=11)
    assert world.states(run)["a"] == "failed"


def test_who_goes_on_comes_before_all_who_begin() -> None:
    tasks = [
        TaskSpec(task_id="a", pool="small"),
        *(TaskSpec(task_id=f"new{i}", pool="small", effective_priority=9) for i in range(4)),
    ]
    world = World(dag_record(tasks), pools=[PoolRecord("small", 1, 0)])
    run = world.start()
    while not world.live("a"):
        world.end(world.live()[0].task_id)
    world.end("a", "deferred", wait=TRIGGER)
    later = world.start()
    ended(world, run)
    busy = world.live()[0]
    assert busy.run.run_pk == later.run_pk and busy.task_id != "a"
    world.end(busy.task_id)
    assert [attempt.run.run_pk for attempt in world.live()] == [run.run_pk]


def test_a_pool_that_counts_deferred_tasks_keeps_their_slots() -> None:
    world = World(
        dag_record([TaskSpec(task_id="a", pool="p"), TaskSpec(task_id="b", pool="p")]),
        pools=[PoolRecord("p", 1, 0, include_deferred=True)],
    )
    world.step(e.PoolsRead((PoolRecord("default_pool", 128, 0), PoolRecord("p", 1, 0, include_deferred=True))))
    run = world.start()
    first = world.live()[0].task_id
    world.end(first, "deferred", wait=TRIGGER)
    assert world.pools["p"][1] == 1 and world.live() == []
    world.step(e.DeferralEnded(TaskKey(run.run_pk, 0 if first == "a" else 1, -1), 1, EVENT))
    assert [attempt.task_id for attempt in world.live()] == [first]
    world.end(first)
    assert len(world.live()) == 1


def test_a_task_that_starts_from_its_trigger_waits_for_the_slots_that_its_wait_will_keep() -> None:
    wait = Deferral(classpath="plugin.Trigger", next_method="go_on")
    tasks = [TaskSpec(task_id=name, pool="p", start_wait=wait) for name in "ab"]
    world = World(dag_record(tasks), pools=[PoolRecord("p", 1, 0, include_deferred=True)])
    run = world.start()
    assert world.states(run) == {"a": "deferred", "b": "scheduled"}
    ended(world, run)
    assert [attempt.task_id for attempt in world.live()] == ["a"], "who goes on comes first"
    world.end("a")
    assert world.states(run) == {"a": "success", "b": "deferred"}
    assert world.pools["p"][1] == 1


def test_a_task_keeps_slots_of_the_pool_that_it_ran_in_though_its_dag_names_another_now() -> None:
    world = World(
        dag_record(chain("a", pool="p")), pools=[PoolRecord(name, 1, 0, include_deferred=True) for name in "pq"]
    )
    run = world.start()
    world.pools["q"][1] = 1
    world.dags[1] = dag_record(chain("a", pool="q"), version=2)
    world.step(e.DagRead(world.dags[1]), e.PoolsRead(world.pool_records()))
    world.end("a", "deferred", wait=TRIGGER)
    assert (world.pools["p"][1], world.pools["q"][1]) == (1, 1)
    ended(world, run)
    assert world.states(run)["a"] == "scheduled" and world.pools["p"][1] == 0


@both
@pytest.mark.parametrize("act", ["clear", "success", "failed"])
def test_what_people_do_to_a_deferred_task_ends_its_wait_and_tells_its_trigger(
    then: Callable[[World], None], act: str
) -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world)
    then(world)
    key = TaskKey(run.run_pk, 0, -1)
    world.step(e.ClearTasks(run.run_pk, (key,), "me") if act == "clear" else e.MarkTasks(run.run_pk, (key,), act, "me"))
    assert world.waits == {} and world.killed_waits == [key]
    assert world.states(run)["a"] == ("queued" if act == "clear" else act)
    ended(world, run)
    assert world.states(run)["a"] == ("queued" if act == "clear" else act), "a late event changes nothing"


@both
def test_an_attempt_that_was_lost_before_it_went_on_goes_on_again(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world)
    ended(world, run)
    world.end("a", "lost", entered=False)
    then(world)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.try_number == 1
    world.end("a")
    assert world.waits == {} and world.runs[run.run_pk].state is DagRunState.SUCCESS


@both
def test_a_task_that_starts_from_its_trigger_never_visits_a_worker_before_its_wait(
    then: Callable[[World], None],
) -> None:
    tasks = [
        TaskSpec(
            task_id="a", start_wait=Deferral(classpath="T", due_in_s=60, next_method="go_on"), execution_timeout_s=500.0
        )
    ]
    world = World(dag_record(tasks))
    run = world.start()
    assert world.states(run)["a"] == "deferred" and world.sent == {}
    then(world)
    world.step(seconds=61)
    (attempt,) = world.live("a")
    assert (attempt.try_number, attempt.seq) == (1, 1)
    assert attempt.resume is not None and attempt.deadline_at is not None
    world.end("a", "failed", retryable=False)
    assert world.waits == {}


def test_a_task_that_starts_and_ends_by_its_trigger_costs_no_process() -> None:
    tasks = [TaskSpec(task_id="a", start_wait=Deferral(classpath="T", due_in_s=60, ends_task=True)), *chain("b")]
    world = World(dag_record(tasks))
    run = world.start()
    world.step(seconds=61)
    assert world.states(run)["a"] == "success" and not [a for a in world.sent.values() if a.task_id == "a"]


def test_a_task_of_a_paused_dag_does_not_start_its_wait() -> None:
    dag = dag_record(
        [
            *chain("b"),
            TaskSpec(task_id="a", upstream=("b",), start_wait=Deferral(classpath="T", due_in_s=60, ends_task=True)),
        ]
    )
    world = World(dag)
    run = world.start()
    world.step(e.DagRead(replace(dag, paused=True)))
    world.end("b")
    assert world.waits == {}
    world.step(e.DagRead(dag))
    assert world.states(run)["a"] == "deferred" and len(world.waits) == 1


def test_a_task_that_leaves_the_dag_waits_no_longer() -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world)
    world.dags[1] = dag_record(chain("b"), version=2, numbers={"a": 0, "b": 1})
    world.step(e.DagRead(world.dags[1]))
    assert world.waits == {} and world.killed_waits == [TaskKey(run.run_pk, 0, -1)]


def test_a_task_that_left_while_nobody_owned_its_dag_waits_no_longer_and_may_come_back() -> None:
    pools = [PoolRecord("p", 1, 0, include_deferred=True)]
    world = World(dag_record([TaskSpec(task_id="a", pool="p"), TaskSpec(task_id="b", upstream=("a",))]), pools=pools)
    run = deferred(world)
    first = world.dags[1]
    world.dags[1] = dag_record(
        [TaskSpec(task_id="b"), TaskSpec(task_id="c")], version=2, numbers={"a": 0, "b": 1, "c": 2}
    )
    take_over(world)
    assert world.waits == {} and world.killed_waits == [TaskKey(run.run_pk, 0, -1)]
    assert world.states(run)["a"] == "removed" and world.pools["p"][1] == 0
    world.dags[1] = replace(first, version_pk=3, task_numbers=world.dags[1].task_numbers)
    world.step(e.DagRead(world.dags[1]))
    world.end("a", "deferred", wait=TRIGGER)
    assert world.states(run)["a"] == "deferred"


def test_a_limit_that_a_new_version_brings_holds_for_what_waits() -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world)
    world.dags[1] = dag_record(chain("a", execution_timeout_s=10.0), version=2)
    world.step(e.DagRead(world.dags[1]))
    world.step(seconds=10)
    assert world.states(run)["a"] == "failed"


def test_of_times_that_passed_while_nobody_looked_the_first_counts() -> None:
    world = World(dag_record(chain("a")))
    run = deferred(world, timer(world, 20, timeout_s=10.0))
    take_over(world)
    world.step(seconds=30)
    assert world.states(run)["a"] == "failed"
    assert "timeout" in str(world.rows[TaskKey(run.run_pk, 0, -1)].reason)


@pytest.mark.parametrize(
    ("outcome", "bound"), [("event", True), ("error", True), ("success", False), ("skipped", False)]
)
def test_a_task_that_its_trigger_has_ended_in_time_is_not_too_late_for_its_callbacks(outcome: str, bound: bool) -> None:
    world = World(dag_record(chain("a", runs_code_at_deferral_end=True, execution_timeout_s=10.0)))
    run = deferred(world)
    world.engine_state.workers["w"].is_reachable = False
    world.step(seconds=5)
    ended(world, run, DeferralResult(outcome=outcome))
    world.step(e.WorkerJoined("w", 1), seconds=60)
    (attempt,) = world.live("a")
    assert (attempt.deadline_at is not None) == bound


def test_pausing_again_and_again_fills_no_heap() -> None:
    dag = dag_record(chain("a"))
    world = World(dag)
    deferred(world, Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=1000.0))
    for _ in range(200):
        world.step(e.DagRead(replace(dag, paused=True)))
        world.step(e.DagRead(dag))
    assert len(world.engine_state.timers) < 100


def test_a_branch_does_not_skip_who_is_about_to_go_on() -> None:
    dag = dag_record([TaskSpec(task_id="branch"), TaskSpec(task_id="a", upstream=("branch",), trigger_rule="always")])
    world = World(dag)
    run = world.start()
    world.end("a", "deferred", wait=TRIGGER)
    world.step(e.DagRead(replace(dag, paused=True)))
    world.step(e.DeferralEnded(TaskKey(run.run_pk, 1, -1), 1, EVENT))
    world.end("branch", skip_task_ids=("a",))
    assert world.states(run)["a"] == "scheduled"


def test_what_a_failed_wait_pushed_is_gone_with_the_next_try() -> None:
    world = World(
        dag_record(
            [TaskSpec(task_id="a", retries=1, retry_delay_s=5.0, start_wait=Deferral(classpath="plugin.Trigger"))]
        )
    )
    run = world.start()
    ended(world, run, DeferralResult(outcome="failed", xcoms={"key": "1"}))
    assert world.step(seconds=5).changes.xcom_clears == [TaskKey(run.run_pk, 0, -1)]
    assert world.states(run)["a"] == "deferred"


def test_a_wait_that_took_too_long_hears_so_though_its_run_ends_in_the_same_step() -> None:
    tasks = [
        TaskSpec(task_id="a", runs_code_at_deferral_end=True),
        TaskSpec(task_id="b", start_wait=Deferral(classpath="T", due_in_s=20)),
    ]
    world = World(dag_record(tasks, fail_fast=True))
    run = world.start()
    world.end("a", "deferred", wait=Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=10.0))
    world.step(seconds=30)
    assert world.states(run) == {"a": "skipped", "b": "failed"}
    assert world.killed_waits == [TaskKey(run.run_pk, 0, -1)]


@pytest.mark.parametrize(
    "end_it",
    [
        lambda world, run: world.step(seconds=60),
        lambda world, run: world.step(e.MarkTasks(run.run_pk, (TaskKey(run.run_pk, 0, -1),), "failed", "me", 1)),
    ],
)
def test_no_triggerer_is_told_of_the_end_of_a_wait_for_a_time(end_it: Callable[[World, RunRecord], StepResult]) -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world, timer(world, 60, ends_task=True))
    assert end_it(world, run).changes.deferrals_deleted == [(TaskKey(run.run_pk, 0, -1), None)]


def test_a_triggerer_is_told_of_the_end_of_a_wait_until_its_event_is_stored() -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world)
    ended(world, run)
    assert world.end("a").changes.deferrals_deleted == [(TaskKey(run.run_pk, 0, -1), None)]
    run = deferred(world, Deferral(classpath="plugin.Trigger"))
    step = world.step(e.DeferralEnded(TaskKey(run.run_pk, 0, -1), 1, DeferralResult(outcome="success")))
    assert step.changes.deferrals_deleted == [(TaskKey(run.run_pk, 0, -1), False)]


def test_explain_says_what_is_waited_for() -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world)
    assert "plugin.Trigger" in tell_task(world.engine_state, run.run_pk, "a", -1, world.now)[0]
    ended(world, run)
    world.end("a")
    world.end("b", "deferred", wait=timer(world, 60))
    assert "until" in tell_task(world.engine_state, run.run_pk, "b", -1, world.now)[0]


def test_what_comes_due_together_goes_in_bounded_steps_one_right_after_the_other() -> None:
    tasks = [
        TaskSpec(task_id=f"t{i}", start_wait=Deferral(classpath="TimeDeltaTrigger", due_in_s=60, ends_task=True))
        for i in range(100)
    ]
    world = World(dag_record(tasks, max_active_runs=1000))
    runs = [world.new_run() for _ in range(MAX_STARTED_PER_STEP // 100 + 1)]
    first = world.step(*map(e.RunRead, runs))
    assert (len(first.changes.deferrals), first.wake_at) == (MAX_STARTED_PER_STEP, world.now)
    assert len(world.step().changes.deferrals) == 100
    ended, now = [], world.now + 60 * SECOND
    while len(ended) * MAX_TIMERS_PER_STEP < MAX_STARTED_PER_STEP + 100:
        step = world.step(seconds=(now - world.now) / SECOND)
        ended.append(len(step.changes.deferrals_deleted))
        assert step.wake_at == (now if sum(ended) < MAX_STARTED_PER_STEP + 100 else None)
    assert ended == [MAX_TIMERS_PER_STEP, MAX_TIMERS_PER_STEP, MAX_STARTED_PER_STEP + 100 - 2 * MAX_TIMERS_PER_STEP]
    assert {world.state(run) for run in runs} == {"success"}


def test_the_first_of_many_that_go_on_are_with_workers_before_the_others_are_fired() -> None:
    count = 2 * MAX_READY_BY_TIMERS + 10
    tasks = [
        TaskSpec(task_id=f"t{i}", start_wait=Deferral(classpath="TimeDeltaTrigger", due_in_s=60, next_method="go_on"))
        for i in range(count)
    ]
    world = World(dag_record(tasks, max_active_tasks=1000))
    world.start()
    fired = []
    while sum(fired) < count:
        step = world.step(seconds=0 if fired else 60)
        fired.append(len(step.changes.deferrals_ended))
        assert world.live(), "workers have something to do"
        assert sum(fired) == count or step.wake_at == world.now
    assert fired == [MAX_READY_BY_TIMERS, MAX_READY_BY_TIMERS, 10]


@both
@pytest.mark.parametrize(
    "fired",
    [
        DeferralResult(outcome="success"),
        DeferralResult(outcome="skipped"),
        DeferralResult(outcome="failed", reason="no"),
        DeferralResult(outcome="error", reason="ValueError: no"),
    ],
)
def test_a_task_with_callbacks_hears_of_the_end_of_its_wait_on_a_worker(
    then: Callable[[World], None], fired: DeferralResult
) -> None:
    world = World(dag_record(chain("a", runs_code_at_deferral_end=True)))
    run = deferred(world, Deferral(classpath="plugin.Trigger"))
    then(world)
    ended(world, run, fired)
    then(world)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.resume.result.outcome == fired.outcome
    world.end("a", "failed" if fired.outcome in ("failed", "error") else fired.outcome)
    assert world.waits == {} and world.killed_waits == []


@both
def test_a_task_with_callbacks_hears_of_its_timeout_on_a_worker(then: Callable[[World], None]) -> None:
    world = World(dag_record(chain("a", runs_code_at_deferral_end=True)))
    deferred(world, Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=30))
    then(world)
    world.step(seconds=31)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.resume.result.outcome == "timeout"
    assert "timeout of 30 s" in str(attempt.resume.result.reason)


@pytest.mark.parametrize(
    ("value", "state"), [("é" * (XCOM_MAX_BYTES // 2), "success"), ("é" * (XCOM_MAX_BYTES // 2) + "x", "failed")]
)
def test_the_limit_of_an_event_s_xcom_counts_bytes_of_text_that_is_not_ascii(value: str, state: str) -> None:
    world = World(dag_record(chain("a", "b")))
    run = deferred(world)
    ended(world, run, DeferralResult(outcome="success", xcoms={"k": value}))
    assert world.states(run)["a"] == state
    said = f"XCom 'k' of the event takes {XCOM_MAX_BYTES + 1} bytes" in (
        world.rows[TaskKey(run.run_pk, 0, -1)].reason or ""
    )
    assert said == (state == "failed")
