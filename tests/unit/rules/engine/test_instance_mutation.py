"""`task_instance_mutation_hook` in the engine: when it is asked, which answer counts, and what an answer changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from msgspec.structs import replace
from tests.unit.rules.engine.told import tell_task

from gnomon.model.attempts import InstanceOverrides
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.instance_mutation import MutationQuestion
from gnomon.model.mapping import Expansion, LiteralLength
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.lifecycle.instance_mutation import RETRY_S
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.engine.state.queue_state import QueueState
from gnomon.rules.engine.step_context import StepResult

from .world import World, chain, dag_record

SMALL = PoolRecord("small", 2, 0)


def hooked(
    *tasks: TaskSpec, pools: tuple[PoolRecord, ...] = (SMALL,), limits: EngineLimits | None = None, **fields: object
) -> World:
    return World(dag_record(tasks, mutates_instances=True, **fields), pools=pools, limits=limits)


def answer(world: World, question: MutationQuestion | None = None, **values: Any) -> StepResult:
    """The hook sets these values on every instance of the question, or of the only open one."""
    if question is None:
        (question,) = world.questions
    world.questions = [one for one in world.questions if one.number != question.number]
    return world.step(
        e.InstancesMutated(
            question, tuple(InstanceOverrides(try_number=one.try_number, **values) for one in question.instances)
        )
    )


def fail(world: World, error: str = "it raised ValueError") -> StepResult:
    question = world.questions.pop()
    return world.step(e.InstancesMutated(question, (error,) * len(question.instances)))


def asked(world: World) -> list[tuple[str, int, int]]:
    """Task, map index and number of tries of the instances in open questions."""
    return [
        (question.tasks[one.task].task_id, one.map_index, one.try_number)
        for question in world.questions
        for one in question.instances
    ]


def why(world: World, run: RunRecord, task_id: str, map_index: int = -1) -> str:
    (sentence,) = tell_task(world.engine_state, run.run_pk, task_id, map_index, world.now)
    return sentence


def test_a_dag_without_the_hook_asks_nothing() -> None:
    world = World(dag_record(chain("a")))
    world.start()
    assert not world.questions and world.live("a")[0].overrides is None


def test_a_ready_instance_waits_for_the_answer_and_gets_its_values() -> None:
    world = hooked(
        TaskSpec(task_id="a", queue="q", effective_priority=4, owner="ann", operator="BashOperator"),
        TaskSpec(task_id="b", upstream=("a",)),
    )
    run = world.start()
    assert asked(world) == [("a", -1, 0)] and not world.live() and world.states(run) == {"a": "scheduled"}
    (question,) = world.questions
    facts = question.tasks[0]
    assert (facts.queue, facts.pool, facts.pool_slots, facts.priority_weight, facts.owner, facts.operator) == (
        "q",
        "default_pool",
        1,
        4,
        "ann",
        "BashOperator",
    )
    assert question.run.run_id == run.run_id
    assert why(world, run, "a").startswith("task_instance_mutation_hook of the cluster policies is asked")
    answer(world, pool="small", pool_slots=2, priority_weight=9, queue="other")
    (attempt,) = world.live("a")
    assert attempt.overrides == InstanceOverrides(
        try_number=0, pool="small", pool_slots=2, priority_weight=9, queue="other"
    )
    row = world.rows[world.key(run, "a")]
    assert (row.pool, row.pool_slots, row.priority, row.overrides) == ("small", 2, 9, attempt.overrides)
    assert world.pools["small"][1] == 2 and world.pools["default_pool"][1] == 0


def test_an_answer_that_sets_nothing_leaves_the_values_of_the_task() -> None:
    world = hooked(TaskSpec(task_id="a", pool="small", effective_priority=3))
    run = world.start()
    answer(world)
    row = world.rows[world.key(run, "a")]
    assert world.live("a") and (row.pool, row.pool_slots, row.priority) == ("small", 1, 3)


def test_one_question_for_all_instances_that_became_ready_in_a_step() -> None:
    world = hooked(
        TaskSpec(task_id="m", expansion=Expansion(factors=(LiteralLength(length=3),))), TaskSpec(task_id="a")
    )
    world.start()
    world.start()
    assert [len(question.instances) for question in world.questions] == [4, 4], "one for each run"
    assert asked(world)[:4] == [("m", 0, 0), ("m", 1, 0), ("m", 2, 0), ("a", -1, 0)]
    assert [task.task_id for task in world.questions[0].tasks] == ["m", "a"]


def test_priorities_and_pools_of_the_answer_order_the_admission() -> None:
    world = hooked(
        *(TaskSpec(task_id=name) for name in "abc"),
        pools=(PoolRecord("small", 1, 0),),
        limits=EngineLimits(parallelism=1),
    )
    world.start()
    (question,) = world.questions
    world.step(
        e.InstancesMutated(
            question,
            tuple(InstanceOverrides(try_number=0, pool="small", priority_weight=weight) for weight in (1, 7, 3)),
        )
    )
    order = []
    for _ in range(3):
        (attempt,) = world.live()
        order.append(attempt.task_id)
        world.end(attempt.task_id)
    assert order == ["b", "c", "a"]


def test_an_answer_in_parts_is_applied_in_parts() -> None:
    world = hooked(TaskSpec(task_id="m", expansion=Expansion(factors=(LiteralLength(length=3),))))
    world.start()
    (question,) = world.questions
    world.step(e.InstancesMutated(question, (InstanceOverrides(try_number=0),)))
    assert [attempt.map_index for attempt in world.live()] == [0]
    answer(world, replace(question, instances=question.instances[1:]))
    assert [attempt.map_index for attempt in world.live()] == [0, 1, 2]


def test_each_try_is_asked_about_and_an_old_answer_does_not_count() -> None:
    world = hooked(TaskSpec(task_id="a", retries=1, retry_delay_s=5))
    run = world.start()
    (first,) = world.questions
    answer(world, pool="small")
    world.end("a", "failed")
    assert not world.questions, "the retry is not due"
    world.step(seconds=5)
    assert asked(world) == [("a", -1, 1)] and not world.live()
    world.step(e.InstancesMutated(first, (InstanceOverrides(try_number=0, pool="small"),)))
    assert not world.live(), "the answer to the question about the first try"
    answer(world, queue="retry_queue")
    (attempt,) = world.live("a")
    row = world.rows[world.key(run, "a")]
    assert (attempt.try_number, row.pool, row.overrides) == (
        2,
        "default_pool",
        InstanceOverrides(try_number=1, queue="retry_queue"),
    )


@pytest.mark.parametrize("late", [False, True])
def test_a_clear_between_question_and_answer_voids_the_answer(late: bool) -> None:
    """`late`: the answer arrives in the step that clears."""
    world = hooked(TaskSpec(task_id="a"))
    run = world.start()
    (old,) = world.questions
    clear, result = (
        e.ClearTasks(run.run_pk, None, "ann"),
        e.InstancesMutated(old, (InstanceOverrides(try_number=0, pool="small"),)),
    )
    if late:
        world.step(clear, result)
    else:
        world.step(clear)
        world.step(result)
    assert not world.live() and [question.number for question in world.questions] == [old.number, old.number + 1]
    answer(world, world.questions[1], pool_slots=2)
    assert world.rows[world.key(run, "a")].overrides == InstanceOverrides(try_number=0, pool_slots=2)


def test_a_cleared_instance_loses_its_answer_and_is_asked_about_again() -> None:
    world = hooked(*chain("a", "b"))
    run = world.start()
    answer(world, pool="small")
    world.end("a")
    world.step(e.ClearTasks(run.run_pk, (world.key(run, "a"),), "ann"))
    assert world.rows[world.key(run, "a")].overrides is None
    assert asked(world)[-1] == ("a", -1, 1)


def test_an_attempt_that_goes_on_after_a_deferral_or_a_reschedule_keeps_the_answer() -> None:
    world = hooked(TaskSpec(task_id="a"), TaskSpec(task_id="b"))
    run = world.start()
    answer(world, pool="small")
    world.end("a", "deferred", wait=Deferral(classpath="x.T", next_method="go_on"))
    world.end("b", "up_for_reschedule", resume_at=world.now + 5_000_000)
    deferral = world.waits[world.key(run, "a")]
    world.step(e.DeferralEnded(world.key(run, "a"), deferral.defer_seq, DeferralResult(outcome="event")), seconds=10)
    assert not world.questions
    assert {attempt.task_id: attempt.overrides for attempt in world.live()} == dict.fromkeys(
        "ab", InstanceOverrides(try_number=0, pool="small")
    )
    assert world.pools["small"][1] == 2


def test_an_attempt_lost_before_author_code_keeps_the_answer() -> None:
    world = hooked(TaskSpec(task_id="a"))
    world.start()
    answer(world, pool="small")
    world.end("a", "lost", entered=False)
    assert not world.questions and world.live("a")[0].overrides == InstanceOverrides(try_number=0, pool="small")


def test_a_task_that_starts_with_its_deferral_is_asked_about_first() -> None:
    task = TaskSpec(task_id="a", start_wait=Deferral(classpath="x.T", next_method="go_on"))
    world = hooked(task, pools=(PoolRecord("small", 2, 0, include_deferred=True),))
    run = world.start()
    assert not world.waits and asked(world) == [("a", -1, 0)]
    answer(world, pool="small")
    assert world.states(run) == {"a": "deferred"} and world.pools["small"][1] == 1


def test_a_task_without_code_is_not_asked_about() -> None:
    world = hooked(TaskSpec(task_id="a", runs_code=False))
    run = world.start()
    assert not world.questions and world.state(run) == "success"


def test_a_failed_question_is_the_reason_and_is_repeated() -> None:
    world = hooked(TaskSpec(task_id="a"), TaskSpec(task_id="b"))
    run = world.start()
    (question,) = world.questions
    world.questions = []
    world.step(e.InstancesMutated(question, ("it raised ValueError", InstanceOverrides(try_number=0))))
    assert [attempt.task_id for attempt in world.live()] == ["b"], "the other has its answer"
    reason = "its queue and its pool are not known, because it raised ValueError; the policies are asked again every 1 min, and when the DAG file or they change"
    assert why(world, run, "a") == world.rows[world.key(run, "a")].reason == reason
    world.step(seconds=RETRY_S - 1)
    assert not world.questions
    world.step(seconds=1)
    assert asked(world) == [("a", -1, 0)]
    fail(world, "it hung")
    assert "it hung" in why(world, run, "a")
    world.step(seconds=RETRY_S)
    answer(world)
    assert world.live("a") and world.rows[world.key(run, "a")].reason is None


def test_a_file_that_was_parsed_again_and_a_new_pool_ask_at_once() -> None:
    world = hooked(TaskSpec(task_id="a"))
    world.start()
    fail(world)
    world.step(e.PoolsRead(world.pool_records()))
    world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    assert not world.questions, "nothing changed"
    world.dags[1].input_hash = "another"
    world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    assert asked(world) == [("a", -1, 0)]
    fail(world)
    world.engine_state.get_pool("big")
    world.pools["big"] = [1, 0]
    world.step(e.PoolsRead(world.pool_records()))
    assert asked(world) == [("a", -1, 0)]


def test_another_version_asks_again_about_what_has_not_started() -> None:
    world = hooked(TaskSpec(task_id="a"), TaskSpec(task_id="b"), limits=EngineLimits(parallelism=1))
    run = world.start()
    answer(world, pool="small")
    (live,) = world.live()
    waiting = "b" if live.task_id == "a" else "a"
    dag = copy.deepcopy(world.dags[1])
    dag.version_pk, dag.spec = 2, replace(dag.spec, tasks=tuple(replace(task, pool_slots=2) for task in dag.spec.tasks))
    world.dags[1] = dag
    world.step(e.DagRead(copy.deepcopy(dag)))
    assert asked(world) == [(waiting, -1, 0)] and world.rows[world.key(run, waiting)].overrides is None
    assert world.rows[world.key(run, live.task_id)].overrides == InstanceOverrides(try_number=0, pool="small")


def test_a_version_without_the_hook_uses_the_values_of_the_task() -> None:
    world = hooked(TaskSpec(task_id="a", retries=1, retry_delay_s=1), TaskSpec(task_id="b"))
    run = world.start()
    (question,) = world.questions
    world.step(e.InstancesMutated(question, (InstanceOverrides(try_number=0, pool="small"),)))
    world.end("a", "failed")
    dag = copy.deepcopy(world.dags[1])
    dag.version_pk, dag.spec = 2, replace(dag.spec, mutates_instances=False)
    world.dags[1] = dag
    world.step(e.DagRead(copy.deepcopy(dag)), seconds=5)
    assert {attempt.task_id for attempt in world.live()} == {"a", "b"}
    row = world.rows[world.key(run, "a")]
    assert (row.pool, row.overrides, row.try_number) == ("default_pool", None, 2)


def test_a_take_over_asks_again_and_keeps_the_answers_that_are_stored() -> None:
    world = hooked(
        TaskSpec(task_id="a"),
        TaskSpec(task_id="b"),
        TaskSpec(task_id="c", upstream=("a",)),
        limits=EngineLimits(parallelism=1),
    )
    run = world.start()
    (question,) = world.questions
    world.questions = []
    stored = InstanceOverrides(try_number=0, pool="small", pool_slots=2, priority_weight=-5)
    world.step(e.InstancesMutated(question, (stored, InstanceOverrides(try_number=0))))
    assert [attempt.task_id for attempt in world.live()] == ["b"]
    world.take_over()
    ti = world.engine_state.runs[run.run_pk].task_instances[0][-1]
    assert (
        not world.questions
        and ti.overrides == stored
        and (ti.target_pool, ti.pool_slots, ti.priority) == ("small", 2, -5)
    )
    world.end("b")
    world.end("a")
    assert asked(world) == [("c", -1, 0)]
    world.questions = []
    world.take_over()
    assert asked(world) == [("c", -1, 0)]


def test_a_paused_dag_takes_the_answer_and_holds_the_instance() -> None:
    world = hooked(TaskSpec(task_id="a"))
    run = world.start()
    world.dags[1].paused = True
    world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    answer(world, pool="small")
    ti = world.engine_state.runs[run.run_pk].task_instances[0][-1]
    assert not world.live() and ti.queue_state is QueueState.DAG
    world.dags[1].paused = False
    world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    assert world.live("a") and world.pools["small"][1] == 1


def test_marking_an_instance_that_waits_ends_it_and_its_question() -> None:
    world = hooked(TaskSpec(task_id="a"))
    run = world.start()
    (question,) = world.questions
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "a"),), "success", "ann"))
    assert world.state(run) == "success"
    assert not world.step(e.InstancesMutated(question, (InstanceOverrides(try_number=0),))).changes
