"""New versions of a DAG under runs that are under way."""

from __future__ import annotations

from gnomon.model.ids import TaskKey
from gnomon.model.records import DagRecord, PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine import events as e

from .world import World, chain, dag_record


def read(world: World, dag: DagRecord) -> None:
    world.dags[dag.dag_pk] = dag
    world.step(e.DagRead(dag))


def test_a_live_task_that_leaves_a_shorter_dag() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    read(world, dag_record(chain("c"), version=2, numbers={"a": 0, "b": 1, "c": 2}))
    assert [a.task_id for a in world.live()] == ["c"]
    world.end("c")
    assert world.state(run) == "success"


def test_a_result_and_a_shorter_version_come_together() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    (attempt,) = world.live()
    short = dag_record(chain("a"), version=2, numbers={"a": 0, "b": 1, "c": 2})
    world.dags[1] = short
    world.step(world.result(attempt), e.DagRead(short))
    assert world.state(run) == "success"


def test_a_task_that_left_and_returned_goes_on_with_its_numbers() -> None:
    numbers = {"a": 0, "b": 1}
    tasks = [TaskSpec(task_id="a"), TaskSpec(task_id="b")]
    world = World(dag_record(tasks, numbers=numbers))
    run = world.start()
    read(world, dag_record(tasks[:1], version=2, numbers=numbers))
    read(world, dag_record(tasks, version=3, numbers=numbers))
    (again,) = world.live("b")
    assert (again.try_number, again.seq) == (2, 2)
    world.end("a")
    world.end("b")
    assert world.state(run) == "success"


def test_an_ended_task_that_left_and_returned_has_not_to_run_again() -> None:
    numbers = {"a": 0, "b": 1}
    tasks = [TaskSpec(task_id="a"), TaskSpec(task_id="b")]
    world = World(dag_record(tasks, numbers=numbers))
    run = world.start()
    world.end("b")
    read(world, dag_record(tasks[:1], version=2, numbers=numbers))
    read(world, dag_record(tasks, version=3, numbers=numbers))
    world.end("a")
    assert world.states(run) == {"a": "success", "b": "success"} and world.state(run) == "success"


def test_limits_of_tasks_hold_across_versions() -> None:
    def version(number: int, limit: int | None) -> DagRecord:
        return dag_record(
            [TaskSpec(task_id="t", max_active_tis_per_dag=limit, max_active_tis_per_dagrun=limit)], version=number
        )

    world = World(version(1, None))
    for _ in range(4):
        world.start()
    read(world, version(2, 3))
    (world.end("t") if len(world.live()) == 1 else world.step(world.result(world.live()[0])))
    assert len(world.live()) == 3
    world.start()
    assert len(world.live()) == 3
    read(world, version(3, None))
    assert len(world.live()) == 4
    read(world, version(4, 1))
    world.start()
    while world.live():
        world.step(world.result(world.live()[0]), seconds=1)
    assert all(gate.used == 0 for gate in world.engine_state.dags[1].task_limits.values())
    assert {str(run.state) for run in world.runs.values()} == {"success"}


def test_a_waiting_task_follows_its_new_pool() -> None:
    world = World(
        dag_record([TaskSpec(task_id="t", pool="full")]), pools=[PoolRecord("full", 0, 0), PoolRecord("free", 1, 0)]
    )
    world.start()
    read(world, dag_record([TaskSpec(task_id="t", pool="free")], version=2))
    assert world.pools["free"][1] == 1


def test_a_new_version_may_shorten_the_timeout_of_a_run() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    read(world, dag_record(chain("a"), version=2, dagrun_timeout_s=60))
    world.step(seconds=61)
    assert world.state(run) == "failed"


def test_a_task_that_left_while_no_scheduler_was_there_is_ended_and_gives_back_its_slots() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b", pool="p")]), pools=[PoolRecord("p", 1, 0)])
    run = world.start()
    (live,) = world.live("b")
    world.dags[1] = dag_record([TaskSpec(task_id="a")], version=2, numbers={"a": 0, "b": 1})
    world.engine_state = world.fresh_engine_state()
    decided = world.step(e.WorkerJoined("w", 32))
    assert [order.attempt_id for order in decided.cancels] == [live.attempt_id]
    assert world.pools["p"][1] == 0 and world.attempts[live.attempt_id] == "failed"
    world.end("a")
    assert world.state(run) == "success" and world.rows[TaskKey(run.run_pk, 1)].state is S.REMOVED
