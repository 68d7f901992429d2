"""Nothing that may run is forgotten: gates, pools, pauses, workers that come back."""

from __future__ import annotations

from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits

from .world import GROUP, World, chain, dag_record


def test_a_gate_lets_in_a_task_of_another_pool_when_the_best_one_has_no_pool() -> None:
    tasks = [
        TaskSpec(task_id="first", effective_priority=9),
        TaskSpec(task_id="no_pool", effective_priority=5, pool="missing"),
        TaskSpec(task_id="other", effective_priority=1),
    ]
    world = World(dag_record(tasks, max_active_tasks=1))
    world.start()
    world.end("first")
    assert [a.task_id for a in world.live()] == ["other"]


def test_a_task_marked_right_after_a_gate_chose_it_does_not_use_up_the_turn() -> None:
    tasks = [
        TaskSpec(task_id="first", effective_priority=9),
        TaskSpec(task_id="narrow", effective_priority=5, pool="p"),
        TaskSpec(task_id="other", effective_priority=1, pool="p"),
    ]
    world = World(dag_record(tasks, max_active_tasks=1), pools=[PoolRecord("p", 1, 0)])
    run = world.start()
    world.step(e.PoolsRead((PoolRecord("default_pool", 128, 1), PoolRecord("p", 0, 0))))
    world.end("first")
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "narrow"),), "success", "ann"))
    world.step(e.PoolsRead(world.pool_records()))
    assert [a.task_id for a in world.live()] == ["other"]


def test_deleting_a_run_lets_in_who_waits_at_a_gate_of_the_dag() -> None:
    world = World(dag_record([TaskSpec(task_id="t", max_active_tis_per_dag=1)]))
    first, second = world.start(), world.start()
    world.step(e.DeleteRun(first.run_pk, "ann", 1))
    assert [a.run.run_id for a in world.live()] == [second.run_id]


def test_a_task_too_large_for_its_pool_holds_up_nobody_and_starts_when_the_pool_grows() -> None:
    tasks = [
        TaskSpec(task_id="large", pool="p", pool_slots=3, effective_priority=9),
        TaskSpec(task_id="small", pool="p"),
    ]
    world = World(dag_record(tasks), pools=[PoolRecord("p", 2, 0)])
    world.start()
    assert [a.task_id for a in world.live()] == ["small"]
    world.end("small")
    world.pools["p"][0] = 3
    world.step(e.PoolsRead(world.pool_records()))
    assert [a.task_id for a in world.live()] == ["large"]


def test_a_pool_that_appears_starts_what_waited_for_it() -> None:
    world = World(dag_record([TaskSpec(task_id="t", pool="late")]))
    world.start()
    assert not world.live()
    world.pools["late"] = [1, 0]
    world.step(e.PoolsRead(world.pool_records()))
    assert len(world.live()) == 1


def test_a_run_deleted_while_its_dag_is_paused_does_not_come_back_with_it() -> None:
    dag = dag_record(chain("a", "b"))
    world = World(dag)
    run = world.start()
    dag.paused = True
    world.step(e.DagRead(dag))
    world.end("a")
    world.step(e.DeleteRun(run.run_pk, "ann", 1))
    world.step(e.DagRead(dag_record(chain("a", "b"))))
    assert not world.live()


def test_a_dag_that_comes_back_to_its_file_goes_on() -> None:
    dag = dag_record(chain("a", "b"))
    world = World(dag)
    run = world.start()
    dag.active = False
    world.step(e.DagRead(dag))
    world.end("a")
    assert not world.live()
    world.step(e.DagRead(dag_record(chain("a", "b"))))
    world.end("b")
    assert world.state(run) == "success"


def test_the_last_result_and_the_deletion_of_its_run_may_come_together() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1))
    first, second, third = world.start(), world.start(), world.start()
    (attempt,) = world.live()
    world.step(world.result(attempt), e.DeleteRun(first.run_pk, "ann", 1))
    assert [world.state(run) for run in (second, third)] == ["running", "queued"]


def test_a_request_on_a_run_of_an_unknown_dag_is_answered() -> None:
    world = World(dag_record(chain("a")))
    run = world.new_run(dag_pk=99)
    world.step(e.RunRead(run), e.ClearTasks(run.run_pk, None, "ann", request_pk=4))
    assert world.answers[-1][:2] == (4, "refused")


def test_a_worker_that_is_back_gets_what_was_never_sent_and_stops_what_is_over() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")]))
    run = world.start()
    by_task = {a.task_id: a for a in world.live()}
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "b"),), "failed", "ann"))
    decided = world.step(e.InventoryRead("w", {by_task["b"].attempt_id: True}, groups=(GROUP,)))
    assert [a.task_id for a in decided.submits["w"]] == ["a"]
    assert [order.attempt_id for order in decided.cancels] == [by_task["b"].attempt_id]


def test_a_cancellation_that_a_crash_swallowed_is_sent_again() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    (attempt,) = world.live()
    world.step(e.ClearTasks(run.run_pk, None, "ann"))
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", 32))
    decided = world.step(e.InventoryRead("w", {attempt.attempt_id: True}, groups=(GROUP,)))
    assert [order.attempt_id for order in decided.cancels] == [attempt.attempt_id]


def test_an_inventory_says_nothing_of_groups_that_were_not_asked_for() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    (attempt,) = world.live()
    world.step(e.AuthorCodeEntered(attempt.attempt_id, world.now))
    world.step(e.InventoryRead("w", {}, groups=(GROUP + 1,)))
    assert world.states(run) == {"a": "running"}


def test_a_paused_dag_runs_into_no_timeout_until_it_is_unpaused() -> None:
    dag = dag_record(chain("a", "b"), dagrun_timeout_s=60)
    world = World(dag)
    run = world.start()
    dag.paused = True
    world.step(e.DagRead(dag))
    world.step(seconds=120)
    assert world.state(run) == "running" and len(world.live()) == 1
    world.step(e.DagRead(dag_record(chain("a", "b"), dagrun_timeout_s=60)))
    assert world.state(run) == "failed"


def test_heaps_do_not_grow_with_history() -> None:
    world = World(dag_record(chain("a"), dagrun_timeout_s=86_400), limits=EngineLimits())
    later = world.new_run(run_after=world.now + 10**14)
    world.step(e.RunRead(later))
    for _ in range(400):
        world.start()
        world.end("a")
    assert len(world.engine_state.timers) < 200
    assert len(world.engine_state.dags[1].queued_runs) < 200


def test_a_sensor_that_was_called_often_may_still_be_lost_before_it_entered() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    for _ in range(12):
        world.end("a", "up_for_reschedule")
        world.step(seconds=1)
    world.end("a", "lost", entered=False)
    assert world.states(run) == {"a": "queued"}
