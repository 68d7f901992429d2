"""What one step makes of events: runs through their lives, limits, people, losses."""

from __future__ import annotations

import pytest
from tests.unit.rules.engine.told import tell_run, tell_task

from gnomon.model.deferral import Deferral
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits

from .world import GROUP, World, chain, dag_record


def test_a_chain_runs_to_its_end_one_commit_a_hop() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    for task_id in "abc":
        assert [a.task_id for a in world.live()] == [task_id]
        hop = world.end(task_id)
        assert hop.acknowledges
    assert world.state(run) == "success"
    assert world.states(run) == {"a": "success", "b": "success", "c": "success"}
    assert not world.engine_state.runs


def test_tasks_without_code_cost_no_attempt() -> None:
    tasks = [TaskSpec(task_id="a", runs_code=False), TaskSpec(task_id="b", upstream=("a",), runs_code=False)]
    world = World(dag_record(tasks))
    run = world.start()
    assert world.state(run) == "success" and not world.sent


def test_a_failed_run_names_the_task_that_failed_with_its_reason_and_what_did_not_run_because_of_it() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.start()
    world.end("a", "failed", reason="ValueError: no")
    assert world.states(run) == {"a": "failed", "b": "upstream_failed"}
    assert world.state(run) == "failed"
    assert world.runs[run.run_pk].reason == "task a failed: ValueError: no; not run because of it: b"


def test_of_several_failed_tasks_the_first_is_named_first_and_one_that_is_no_cause_not_at_all() -> None:
    tasks = [
        *chain("x", "y"),
        TaskSpec(task_id="harmless"),
        TaskSpec(task_id="late", upstream=("harmless",), trigger_rule="all_done"),
        TaskSpec(task_id="z", upstream=("y",)),
    ]
    world = World(dag_record([*tasks, TaskSpec(task_id="a")]))
    run = world.start()
    world.end("harmless", "failed", reason="known")
    world.end("x", "failed", reason="\n  KeyError: 'k'\nwith a second line")
    world.end("late")
    world.end("a", "failed")
    assert world.state(run) == "failed"
    assert world.runs[run.run_pk].reason == "task x failed: KeyError: 'k'; task a failed; not run because of it: z"


def test_a_failed_task_above_a_failed_leaf_is_named_before_it() -> None:
    world = World(
        dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b", upstream=("a",), trigger_rule="all_failed")])
    )
    run = world.start()
    world.end("a", "failed", reason="no")
    world.end("b", "failed", reason="later")
    assert world.runs[run.run_pk].reason == "task a failed: no; task b failed: later"


def test_a_retry_waits_for_its_delay_and_then_goes_on() -> None:
    world = World(dag_record(chain("a", retries=1, retry_delay_s=30)))
    run = world.start()
    decided = world.end("a", "failed")
    assert world.states(run) == {"a": "up_for_retry"} and not world.live()
    assert decided.wake_at == world.now + 30_000_000
    assert "the next try is at" in tell_run(world.engine_state, run.run_pk, world.now)[0]
    world.step(seconds=30)
    (attempt,) = world.live()
    assert (attempt.try_number, attempt.seq) == (2, 2)
    world.end("a", "failed")
    assert world.state(run) == "failed"


def test_a_failure_that_forbids_retries_is_final() -> None:
    world = World(dag_record(chain("a", retries=5)))
    run = world.start()
    world.end("a", "failed", retryable=False)
    assert world.state(run) == "failed"


def test_a_branch_skips_what_it_did_not_choose_and_the_join_runs() -> None:
    tasks = [
        TaskSpec(task_id="branch"),
        TaskSpec(task_id="left", upstream=("branch",)),
        TaskSpec(task_id="right", upstream=("branch",)),
        TaskSpec(task_id="join", upstream=("left", "right"), trigger_rule="none_failed_min_one_success"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("branch", skip_task_ids=("right",))
    assert [a.task_id for a in world.live()] == ["left"]
    world.end("left")
    world.end("join")
    assert world.states(run) == {"branch": "success", "left": "success", "right": "skipped", "join": "success"}


def test_a_skipped_task_skips_what_needs_all_success() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.start()
    world.end("a", "skipped")
    assert world.states(run) == {"a": "skipped", "b": "skipped"} and world.state(run) == "success"


def test_max_active_runs_starts_runs_in_order() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1))
    runs = [world.start() for _ in range(3)]
    assert [world.state(run) for run in runs] == ["running", "queued", "queued"]
    assert "max_active_runs=1 is reached" in tell_run(world.engine_state, runs[1].run_pk, world.now)[0]
    world.end("a")
    assert [world.state(run) for run in runs] == ["success", "running", "queued"]


def test_a_full_pool_does_not_hold_up_another() -> None:
    tasks = [TaskSpec(task_id=f"t{i}", pool="narrow", priority_weight=9, effective_priority=9) for i in range(1000)]
    tasks.append(TaskSpec(task_id="other"))
    dag = dag_record(tasks, max_active_tasks=5000)
    world = World(
        dag,
        pools=[PoolRecord("narrow", 1, 0)],
        slots=2000,
        limits=EngineLimits(parallelism=None, max_admissions_per_step=2),
    )
    world.start()
    assert sorted(a.task_id for a in world.live()) == ["other", "t0"]


def test_a_pool_is_looked_at_again_when_its_first_task_meets_a_limit_that_another_pool_has_filled() -> None:
    holders = dag_record([TaskSpec(task_id="in_a", pool="a"), TaskSpec(task_id="in_b", pool="b")])
    large = TaskSpec(task_id="large", pool="a", pool_slots=2, effective_priority=9)
    limited = dag_record([large, TaskSpec(task_id="small", pool="b")], dag_pk=2, max_active_tasks=1)
    behind = dag_record([TaskSpec(task_id="behind", pool="a")], dag_pk=3)
    world = World(holders, limited, behind, pools=[PoolRecord("a", 2, 0), PoolRecord("b", 1, 0)])
    for dag_pk in (1, 2, 3):
        world.start(dag_pk=dag_pk)
    assert sorted(a.task_id for a in world.live()) == ["in_a", "in_b"]
    world.end("in_b")
    assert sorted(a.task_id for a in world.live()) == ["behind", "in_a", "small"]


def test_the_best_priority_of_a_pool_goes_first() -> None:
    tasks = [TaskSpec(task_id=f"t{i}", effective_priority=i, pool="p") for i in range(5)]
    world = World(dag_record(tasks), pools=[PoolRecord("p", 1, 0)])
    world.start()
    order = []
    while world.live():
        order.append(world.live()[0].task_id)
        world.end(order[-1])
    assert order == ["t4", "t3", "t2", "t1", "t0"]


def test_limits_per_run_and_per_task_hold() -> None:
    dag = dag_record([TaskSpec(task_id=f"t{i}") for i in range(6)], max_active_tasks=2)
    world = World(dag)
    run = world.start()
    assert len(world.live()) == 2
    assert "max_active_tasks=2 of the run is reached" in "".join(tell_run(world.engine_state, run.run_pk, world.now))
    while world.live():
        world.step(world.result(world.live()[0]), seconds=1)
        assert len(world.live()) <= 2
    assert world.state(run) == "success"

    one_at_a_time = dag_record([TaskSpec(task_id="t", max_active_tis_per_dag=1)])
    world = World(one_at_a_time)
    for _ in range(3):
        world.start()
    assert len(world.live()) == 1
    world.end("t")
    assert len(world.live()) == 1


def test_an_admission_takes_no_more_than_its_limit_and_asks_for_another() -> None:
    world = World(
        dag_record([TaskSpec(task_id=f"t{i}") for i in range(5)]), limits=EngineLimits(max_admissions_per_step=2)
    )
    run = world.new_run()
    decided = world.step(e.RunRead(run))
    assert len(world.live()) == 2 and decided.wake_at == world.now
    world.step()
    assert len(world.live()) == 4


def test_a_task_wanting_more_slots_than_its_pool_has_says_so() -> None:
    world = World(dag_record([TaskSpec(task_id="t", pool="p", pool_slots=3)]), pools=[PoolRecord("p", 2, 0)])
    run = world.start()
    assert tell_task(world.engine_state, run.run_pk, "t", -1, world.now) == [
        "it needs 3 slots and pool p has 2; it can never start. Give the pool more: gnomon pools set p 3"
    ]


def test_a_task_behind_a_larger_one_of_its_pool_names_it() -> None:
    tasks = [
        TaskSpec(task_id=name, pool="p", pool_slots=slots, effective_priority=priority)
        for name, slots, priority in (("first", 2, 9), ("large", 2, 5), ("small", 1, 1))
    ]
    world = World(dag_record(tasks), pools=[PoolRecord("p", 3, 0)])
    run, other = world.start(), world.start()
    assert [one.task_id for one in world.live()] == ["first"]
    reason = "is before it in pool p and needs 2 slots; free: 1"
    assert tell_task(world.engine_state, run.run_pk, "small", -1, world.now) == [
        f"task first of run {other.run_id} {reason}"
    ]
    world.end("first")
    assert tell_task(world.engine_state, run.run_pk, "large", -1, world.now) == [
        "pool p has too few free slots: 2 of 3 slots are used and it needs 2"
    ]
    assert tell_task(world.engine_state, run.run_pk, "small", -1, world.now) == [f"task large {reason}"]
    assert [sentence.partition(":")[0] for sentence in tell_run(world.engine_state, run.run_pk, world.now)] == [
        "large",
        "small",
    ]


def test_a_task_behind_a_larger_one_that_waited_at_a_limit_names_it() -> None:
    tasks = [
        TaskSpec(task_id="large", pool="p", pool_slots=2, effective_priority=5, max_active_tis_per_dag=1),
        TaskSpec(task_id="gate"),
        TaskSpec(task_id="first", pool="p", pool_slots=2, effective_priority=9, upstream=("gate",)),
        TaskSpec(task_id="small", pool="p"),
    ]
    world = World(dag_record(tasks), pools=[PoolRecord("p", 3, 0)])
    run = world.start()
    other = world.start()
    for task_id in ("gate", "large", "small"):
        world.step(world.result(next(one for one in world.live(task_id) if one.run.run_pk == run.run_pk)))
    assert sorted(one.task_id for one in world.live()) == ["first", "gate"]
    assert tell_task(world.engine_state, other.run_pk, "small", -1, world.now) == [
        "task large is before it in pool p and needs 2 slots; free: 1"
    ]


def test_a_limit_that_is_reached_in_one_pool_lets_others_start_in_the_pool_before_it() -> None:
    """`large` is first in pool p and waits for slots; `other`, of the same DAG, takes the last place of the DAG in pool q: then `large` waits for that."""
    limited = [
        TaskSpec(task_id="gate"),
        TaskSpec(task_id="large", pool="p", pool_slots=2, effective_priority=5, upstream=("gate",)),
        TaskSpec(task_id="other", pool="q", upstream=("gate",)),
    ]
    free = [
        TaskSpec(task_id="long", pool="p"),
        TaskSpec(task_id="first"),
        TaskSpec(task_id="small", pool="p", upstream=("first",)),
    ]
    pools = [PoolRecord("p", 2, 0), PoolRecord("q", 1, 0)]
    world = World(dag_record(limited, max_active_tasks=1), dag_record(free, dag_pk=2), pools=pools)
    world.start()
    world.start(2)
    assert sorted(attempt.task_id for attempt in world.live()) == ["first", "gate", "long"]
    world.step(*(world.result(attempt) for name in ("gate", "first") for attempt in world.live(name)))
    assert sorted(attempt.task_id for attempt in world.live()) == ["long", "other", "small"]


def test_a_missing_pool_is_named_with_the_remedy() -> None:
    world = World(dag_record([TaskSpec(task_id="t", pool="nope")]))
    run = world.start()
    assert "gnomon pools set nope SLOTS" in tell_task(world.engine_state, run.run_pk, "t", -1, world.now)[0]


def test_a_paused_dag_lets_running_tasks_finish_and_starts_nothing() -> None:
    dag = dag_record(chain("a", "b"))
    world = World(dag)
    run = world.start()
    dag.paused = True
    world.step(e.DagRead(dag))
    world.end("a")
    assert not world.live()
    assert tell_task(world.engine_state, run.run_pk, "b", -1, world.now) == ["the DAG is paused"]
    unpaused = dag_record(chain("a", "b"))
    world.step(e.DagRead(unpaused))
    assert [a.task_id for a in world.live()] == ["b"]


def test_clearing_an_ended_run_runs_it_again_with_new_retries() -> None:
    world = World(dag_record(chain("a", "b", retries=1, retry_delay_s=0)))
    run = world.start()
    world.end("a")
    world.end("b")
    assert world.state(run) == "success"
    rows = tuple(row for key, row in world.rows.items() if key.run_pk == run.run_pk)
    world.step(
        e.RunRead(world.runs[run.run_pk], rows), e.ClearTasks(run.run_pk, (world.key(run, "b"),), "me", request_pk=7)
    )
    assert world.answers[-1] == (7, "done", '{"cleared": ["b"]}')
    (attempt,) = world.live()
    assert (attempt.task_id, attempt.try_number, attempt.max_tries) == ("b", 2, 2)
    world.end("b")
    assert world.state(run) == "success" and world.runs[run.run_pk].clear_number == 1


def test_clearing_a_live_task_stops_it_first() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    (attempt,) = world.live()
    decided = world.step(e.ClearTasks(run.run_pk, None, "me"))
    assert [order.attempt_id for order in decided.cancels] == [attempt.attempt_id]
    assert world.states(run) == {"a": "restarting"}
    world.step(world.result(attempt, "failed", reason="terminated"), seconds=1)
    (again,) = world.live()
    assert again.attempt_id != attempt.attempt_id and again.try_number == 2


def test_marking_a_failed_task_success_is_recorded_with_who() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")]))
    run = world.start()
    world.end("a", "failed")
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "a"),), "success", "ann", 3))
    assert world.states(run)["a"] == "success"
    assert world.rows[world.key(run, "a")].reason == "marked success by ann"
    world.end("b")
    assert world.state(run) == "success"


def test_a_task_that_is_marked_after_its_end_keeps_its_duration_and_one_that_never_ran_ends_with_the_mark() -> None:
    world = World(dag_record([*chain("a", "b"), TaskSpec(task_id="c")]))
    run = world.start()
    world.end("a", "failed")
    ended_at = world.rows[world.key(run, "a")].ended_at
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "a"), world.key(run, "b")), "success", "ann", 3), seconds=280)
    assert world.states(run) == {"a": "success", "b": "success", "c": "queued"}
    assert world.rows[world.key(run, "a")].ended_at == ended_at
    assert world.rows[world.key(run, "b")].ended_at == world.now


def test_marking_a_run_failed_cancels_what_is_live_and_skips_the_rest() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.start()
    decided = world.step(e.MarkRun(run.run_pk, "failed", "ann", 3))
    assert len(decided.cancels) == 1
    assert world.state(run) == "failed" and world.states(run) == {"a": "failed", "b": "skipped"}
    late = world.step(world.result(next(iter(world.sent.values()))))
    assert late.acknowledges and not late.changes.tasks


def test_a_late_result_of_an_old_attempt_changes_nothing() -> None:
    world = World(dag_record(chain("a", retries=1, retry_delay_s=0)))
    run = world.start()
    (first,) = world.live()
    world.end("a", "failed")
    world.step()
    world.step(world.result(first))
    assert world.states(run) == {"a": "queued"}


def test_inventory_adopts_resubmits_and_loses() -> None:
    world = World(dag_record([TaskSpec(task_id=t, retries=1, retry_delay_s=5) for t in "abc"]))
    run = world.start()
    by_task = {a.task_id: a for a in world.live()}
    world.step(e.AuthorCodeEntered(by_task["c"].attempt_id, world.now))
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", 32))
    decided = world.step(e.InventoryRead("w", {by_task["a"].attempt_id: True}, groups=(GROUP,)))
    assert [a.attempt_id for a in decided.submits["w"]][:1] == [by_task["b"].attempt_id], "queued and unknown: again"
    assert world.states(run)["a"] == "running"
    assert world.states(run)["c"] == "up_for_retry"
    assert "no longer has it" in (world.rows[world.key(run, "c")].reason or "")


def test_a_lost_worker_costs_each_of_its_attempts_a_try() -> None:
    world = World(dag_record(chain("a", retries=0)))
    run = world.start()
    world.step(e.WorkerLost("w"))
    assert world.state(run) == "failed"
    assert world.rows[world.key(run, "a")].reason == "lost: worker w stopped answering"


def test_an_attempt_known_not_to_have_entered_costs_no_try() -> None:
    world = World(dag_record(chain("a")))
    world.start()
    world.end("a", "lost", entered=False, reason="lost: the child died before it entered")
    (again,) = world.live()
    assert (again.try_number, again.seq) == (1, 2)


def test_without_a_worker_tasks_wait_and_say_so() -> None:
    world = World(dag_record(chain("a")))
    world.step(e.WorkerLost("w"))
    run = world.start()
    assert world.states(run) == {"a": "scheduled"}
    assert "no worker is alive" in tell_task(world.engine_state, run.run_pk, "a", -1, world.now)[0]
    world.step(e.WorkerJoined("w2", 4))
    assert len(world.live()) == 1


def test_a_new_version_moves_an_unfinished_run() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    world.end("a")
    new = dag_record(chain("a", "c", "d"), version=2, numbers={"a": 0, "b": 1, "c": 2, "d": 3})
    world.dags[1] = new
    decided = world.step(e.DagRead(new))
    assert [order.reason for order in decided.cancels] == ["the task is no longer in the DAG"]
    assert world.states(run)["b"] == "removed"
    world.end("c")
    world.end("d")
    assert world.state(run) == "success"
    assert world.runs[run.run_pk].version_pk == 2


def test_a_task_that_waits_before_skipping_is_skipped_once_the_run_before_would_let_it_run() -> None:
    waiting = TaskSpec(task_id="b", upstream=("a",), depends_on_past=True, wait_for_past_depends_before_skipping=True)
    tasks = [TaskSpec(task_id="a"), waiting, TaskSpec(task_id="c", upstream=("a",), depends_on_past=True)]
    world = World(dag_record(tasks))
    first, second = world.start(), world.start()
    for run, outcome in ((first, "success"), (second, "skipped")):
        (attempt,) = [attempt for attempt in world.live("a") if attempt.run.run_pk == run.run_pk]
        world.step(world.result(attempt, outcome))
    assert world.states(second) == {"a": "skipped", "c": "skipped"}
    assert tell_task(world.engine_state, second.run_pk, "b", -1, world.now) == [
        "depends_on_past: b in run run1 is queued; wait_for_past_depends_before_skipping: then trigger rule all_success skips it: 1 skipped"
    ]
    assert not world.step().changes
    world.end("b", "failed")
    assert "b" not in world.states(second)
    world.step(e.MarkTasks(first.run_pk, (world.key(first, "b"),), "success", "me"))
    assert world.states(second)["b"] == "skipped"


def test_without_a_run_before_or_depends_on_past_a_task_is_skipped_at_once() -> None:
    for past in (True, False):
        tasks = [
            TaskSpec(task_id="a"),
            TaskSpec(task_id="b", upstream=("a",), depends_on_past=past, wait_for_past_depends_before_skipping=True),
        ]
        world = World(dag_record(tasks))
        runs = [world.start() for _ in range(1 if past else 2)]
        world.end_all("a", "skipped")
        assert [world.states(run)["b"] for run in runs] == ["skipped"] * len(runs)


def test_depends_on_past_waits_for_the_run_before() -> None:
    world = World(dag_record(chain("a", depends_on_past=True)))
    first, second = world.start(), world.start()
    assert len(world.live()) == 1
    assert "depends_on_past: a in run run1 is queued" in tell_run(world.engine_state, second.run_pk, world.now)[0]
    world.end("a")
    assert [a.run.run_id for a in world.live()] == [second.run_id]
    world.end("a")
    assert world.state(first) == world.state(second) == "success"
    third = world.start()
    world.end("a", "failed")
    fourth = world.start()
    assert world.state(third) == "failed" and not world.live()
    assert "is failed" in tell_run(world.engine_state, fourth.run_pk, world.now)[0]


def test_a_run_that_takes_too_long_fails() -> None:
    world = World(dag_record(chain("a", "b"), dagrun_timeout_s=60))
    run = world.start()
    decided = world.step(seconds=61)
    assert len(decided.cancels) == 1
    assert world.state(run) == "failed" and "dagrun_timeout" in (world.runs[run.run_pk].reason or "")


def test_a_run_that_takes_too_long_skips_all_that_has_not_ended() -> None:
    """As Airflow does (`SchedulerJobRunner._schedule_dag_run`), running tasks included."""
    names = ("done", "broke", "runs", "queued", "deferred", "again", "later", "restarts")
    tasks = [TaskSpec(task_id=name, retries=name == "again", retry_delay_s=600.0) for name in names]
    world = World(dag_record([*tasks, TaskSpec(task_id="after", upstream=("runs",))], dagrun_timeout_s=60))
    run = world.start()
    world.end("done")
    world.end("broke", "failed")
    world.end("again", "failed")
    world.end("later", "up_for_reschedule", resume_at=world.now + 600_000_000)
    world.end("deferred", "deferred", wait=Deferral(classpath="plugin.Trigger", next_method="go_on"))
    for name in ("runs", "restarts"):
        world.step(e.AuthorCodeEntered(world.live(name)[0].attempt_id, world.now))
    world.step(e.ClearTasks(run.run_pk, (world.key(run, "restarts"),), "ann"))
    decided = world.step(seconds=61)
    ended = {"done": "success", "broke": "failed", "after": "skipped"}
    assert world.states(run) == {**dict.fromkeys(names, "skipped"), **ended}
    assert world.state(run) == "failed" and not world.live() and not world.waits
    assert sorted(order.reason for order in decided.cancels) == ["dagrun_timeout: the run took longer than 1 min"] * 3
    assert world.pools["default_pool"][1] == 0


@pytest.mark.parametrize("said", [e.WorkerLost("w"), e.InventoryRead("w", {}, groups=(GROUP,))])
def test_of_attempts_that_are_lost_together_the_first_stops_the_others_with_fail_fast(said: e.EngineEvent) -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")], fail_fast=True))
    run = world.start()
    world.step(*(e.AuthorCodeEntered(attempt.attempt_id, world.now) for attempt in world.live()))
    world.step(said)
    assert world.states(run) == {"a": "failed", "b": "failed"} and world.state(run) == "failed"
    assert world.pools["default_pool"][1] == 0 and len(world.attempts) == 2


def test_fail_fast_stops_the_rest_of_the_run() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")], fail_fast=True))
    run = world.start()
    world.end("a", "failed")
    assert world.state(run) == "failed" and world.states(run) == {"a": "failed", "b": "failed"}


def test_a_run_without_tasks_succeeds() -> None:
    world = World(dag_record([]))
    assert world.state(world.start()) == "success"


def test_a_run_due_later_starts_at_its_time() -> None:
    world = World(dag_record(chain("a")))
    run = world.new_run(run_after=world.now + 5_000_000)
    decided = world.step(e.RunRead(run))
    assert world.state(run) == "queued" and decided.wake_at == run.run_after
    world.step(seconds=5)
    assert world.state(run) == "running"


def test_deleting_a_run_cancels_it_and_frees_its_place() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1))
    first, second = world.start(), world.start()
    decided = world.step(e.DeleteRun(first.run_pk, "ann", 9))
    assert decided.deleted_runs == [first.run_pk] and len(decided.cancels) == 1
    assert world.state(second) == "running"
    assert world.pools["default_pool"][1] == 1


def test_a_task_of_the_run_before_that_has_not_begun_has_no_status_yet() -> None:
    tasks = [
        TaskSpec(task_id="a", wait_for_downstream=True),
        TaskSpec(task_id="x"),
        TaskSpec(task_id="b", upstream=("a", "x")),
    ]
    world = World(dag_record(tasks))
    world.start()
    world.end("a")
    assert tell_task(world.engine_state, world.start().run_pk, "a", -1, world.now) == [
        "wait_for_downstream: b in run run1 has no status yet"
    ]
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b", upstream=("a",), depends_on_past=True)]))
    _, second = world.start(), world.start()
    world.step(world.result(world.live("a")[1]))
    assert tell_task(world.engine_state, second.run_pk, "b", -1, world.now) == [
        "depends_on_past: b in run run1 has no status yet"
    ]


def test_a_sensor_that_is_called_again_and_a_try_that_is_under_way_are_told_in_sentences() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    assert tell_run(world.engine_state, run.run_pk, world.now) == [
        "a: try 1 was submitted to worker w and has not begun"
    ]
    world.end("a", "up_for_reschedule", resume_at=60_000_000)
    assert tell_run(world.engine_state, run.run_pk, world.now) == [
        "a: the sensor is called again at 1970-01-01T00:01:00.000000+00:00"
    ]
