"""Two schedulers, one pool: an admission that the store refuses is taken back, and the rest of the step stands."""

from __future__ import annotations

from gnomon.engine import events as e
from gnomon.engine.admission import retract
from gnomon.engine.step import step
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec

from .world import World, chain, dag_record

TASKS = [TaskSpec(task_id="first", pool="shared"), TaskSpec(task_id="again", pool="shared", retries=1, retry_delay_s=5),
         TaskSpec(task_id="other")]


def decide(world: World, *events: e.Event):  # type: ignore[no-untyped-def]
    return step(world.memory, events, world.now, lambda: f"x{world.now}-{len(world.memory.attempts)}", ())


def test_what_another_scheduler_took_waits_and_the_rest_is_stored() -> None:
    world = World(dag_record(TASKS), pools=[PoolRecord("shared", 2, 0)])
    run = world.new_run()
    decided = decide(world, e.RunRead(run))
    world.pools["shared"][1] = 2  # another scheduler was faster
    assert retract(world.memory, decided, "shared")
    world.write(decided)
    assert world.states(run) == {"first": "scheduled", "again": "scheduled", "other": "queued"}
    assert world.pools["shared"][1] == 2 and [a.task_id for a in world.live()] == ["other"]
    assert world.memory.live == 1 and world.memory.runs[run.run_pk].gate.inside == 1 and world.memory.workers["w"].used == 1
    assert not decide(world).submits, "it counts as full until it is read again"
    world.pools["shared"][1] = 0
    world.step(e.PoolsRead(world.pool_records()))
    assert sorted(a.task_id for a in world.live()) == ["again", "first", "other"]


def test_a_try_that_was_taken_back_is_not_counted() -> None:
    world = World(dag_record([TASKS[1]]), pools=[PoolRecord("shared", 1, 0)])
    world.start()
    world.end("again", "failed", reason="no")
    world.now += 5_000_000
    decided = decide(world)
    world.pools["shared"][1] = 1
    assert retract(world.memory, decided, "shared")
    world.write(decided)
    world.pools["shared"][1] = 0
    world.step(e.PoolsRead(world.pool_records()))
    (attempt,) = world.live()
    assert (attempt.try_number, attempt.seq) == (2, 2)


def test_a_step_that_admitted_nothing_to_the_pool_cannot_be_mended() -> None:
    world = World(dag_record(chain("a")))
    run = world.new_run()
    assert not retract(world.memory, decide(world, e.RunRead(run)), "nobody's")
