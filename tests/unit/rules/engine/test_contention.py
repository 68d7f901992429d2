"""Two schedulers, one pool: an admission that the store refuses is taken back, and the rest of the step stands."""

from __future__ import annotations

from msgspec.structs import replace

from gnomon.model.attempts import XComItem
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.admission.admission_pass import retract_admissions
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepResult

from .world import World, chain, dag_record

TASKS = [
    TaskSpec(task_id="first", pool="shared"),
    TaskSpec(task_id="again", pool="shared", retries=1, retry_delay_s=5),
    TaskSpec(task_id="other"),
]


def decide(world: World, *events: e.EngineEvent) -> StepResult:
    return step(world.engine_state, events, world.now, lambda: f"x{world.now}-{len(world.engine_state.attempts)}", ())


def test_what_another_scheduler_took_waits_and_the_rest_is_stored() -> None:
    world = World(dag_record(TASKS), pools=[PoolRecord("shared", 2, 0)])
    run = world.new_run()
    decided = decide(world, e.RunRead(run))
    world.pools["shared"][1] = 2  # another scheduler was faster
    assert retract_admissions(world.engine_state, decided, "shared")
    world.write(decided)
    assert world.states(run) == {"first": "scheduled", "again": "scheduled", "other": "queued"}
    assert world.pools["shared"][1] == 2 and [a.task_id for a in world.live()] == ["other"]
    assert (
        world.engine_state.live_attempt_count == 1
        and world.engine_state.runs[run.run_pk].active_tasks_limit.used == 1
        and world.engine_state.workers["w"].used_slots == 1
    )
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
    assert retract_admissions(world.engine_state, decided, "shared")
    world.write(decided)
    world.pools["shared"][1] = 0
    world.step(e.PoolsRead(world.pool_records()))
    (attempt,) = world.live()
    assert (attempt.try_number, attempt.seq) == (2, 2)


def test_a_wait_that_a_task_was_to_begin_with_is_taken_back() -> None:
    task = TaskSpec(
        task_id="waits",
        pool="shared",
        start_wait=Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=60.0),
    )
    world = World(dag_record([task, *TASKS]), pools=[PoolRecord("shared", 3, 0, include_deferred=True)])
    run = world.new_run()
    decided = decide(world, e.RunRead(run))
    assert decided.changes.deferrals
    world.pools["shared"][1] = 3  # another scheduler was faster
    assert retract_admissions(world.engine_state, decided, "shared")
    world.write(decided)
    assert world.states(run) == {"waits": "scheduled", "first": "scheduled", "again": "scheduled", "other": "queued"}
    assert world.waits == {} and world.engine_state.next_timer() is None
    world.pools["shared"][1] = 0
    world.step(e.PoolsRead(world.pool_records()))
    assert world.states(run)["waits"] == "deferred" and world.pools["shared"][1] == 3
    row = world.rows[world.key(run, "waits")]
    assert (row.try_number, row.defer_seq) == (1, 1)


def test_a_step_that_admitted_nothing_to_the_pool_cannot_be_mended() -> None:
    world = World(dag_record(chain("a")))
    run = world.new_run()
    assert not retract_admissions(world.engine_state, decide(world, e.RunRead(run)), "nobody's")


def refused(world: World, *events: e.EngineEvent) -> StepResult:
    """A step whose admissions to `shared` are taken back, because another scheduler was faster."""
    decided = decide(world, *events)
    assert decided.admissions and retract_admissions(world.engine_state, decided, "shared")
    assert not decided.admissions
    return decided


def test_what_a_cleared_task_had_pushed_is_deleted_though_its_admission_in_the_same_step_is_taken_back() -> None:
    world = World(dag_record([TASKS[0]]), pools=[PoolRecord("shared", 1, 0)])
    run = world.start()
    world.end("first", xcoms=(XComItem(key="k", value="1"),))
    decided = refused(
        world,
        e.RunRead(world.runs[run.run_pk], (world.rows[world.key(run, "first")],)),
        e.ClearTasks(run.run_pk, None, "ann"),
    )
    assert decided.changes.xcom_clears == [world.key(run, "first")]


def test_what_a_failed_try_pushed_is_kept_while_the_next_one_is_taken_back() -> None:
    world = World(dag_record([replace(TASKS[1], retry_delay_s=0)]), pools=[PoolRecord("shared", 1, 0)])
    run = world.start()
    (attempt,) = world.live()
    decided = refused(world, world.result(attempt, "failed", xcoms=(XComItem(key="k", value="1"),)))
    assert decided.changes.xcom_clears == [] and [one.xcoms[0].key for one in decided.changes.results] == ["k"]
    world.write(decided)
    world.step(e.PoolsRead(world.pool_records()))
    decided = world.step(world.result(*world.live(), "failed", xcoms=(XComItem(key="k", value="2"),)))
    assert world.states(run) == {"again": "failed"} and [one.xcoms[0].value for one in decided.changes.results] == ["2"]


def test_what_an_earlier_try_pushed_is_kept_while_the_wait_that_the_next_one_begins_with_is_taken_back() -> None:
    wait = Deferral(classpath="plugin.Trigger", next_method="go_on", timeout_s=60.0)
    task = TaskSpec(task_id="waits", pool="shared", start_wait=wait, retries=1, retry_delay_s=5)
    world = World(dag_record([task]), pools=[PoolRecord("shared", 1, 0, include_deferred=True)])
    run = world.start()
    world.step(e.DeferralEnded(world.key(run, "waits"), 1, DeferralResult(outcome="failure", reason="no")))
    assert world.states(run) == {"waits": "up_for_retry"}
    world.now += 5_000_000
    assert refused(world).changes.xcom_clears == []
    world.pools["shared"][1] = 0
    assert world.step(e.PoolsRead(world.pool_records())).changes.xcom_clears == [world.key(run, "waits")]
