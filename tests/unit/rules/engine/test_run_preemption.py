"""A run that can only wait for an earlier run does not keep that run out: it returns to the queue (apache/airflow#29524)."""

from __future__ import annotations

import copy
import random

import pytest
from msgspec.structs import replace
from tests.unit.rules.engine.told import tell_run

from gnomon.model.backfills import BackfillRecord
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.run_callbacks import CallbackKind, DeadlineSpec
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunType
from gnomon.rules.engine import events as e
from gnomon.rules.engine.lifecycle.run_preemption import can_only_wait

from .mapped_dags import literal
from .test_laws import play, random_groups, random_tasks, snapshot
from .world import GROUP, World, chain, dag_record

PAST = TaskSpec(task_id="a", depends_on_past=True)


def two_runs(world: World) -> tuple[RunRecord, RunRecord]:
    """The first run has failed, and the second is running."""
    first = world.start()
    second = world.start(run_after=world.now + 1)
    world.end("a", "failed")
    assert [world.state(run) for run in (first, second)] == ["failed", "running"]
    return first, second


def clear(world: World, run: RunRecord) -> None:
    rows = tuple(world._rows_of(run.run_pk))
    world.step(e.RunRead(copy.deepcopy(world.runs[run.run_pk]), rows), e.ClearTasks(run.run_pk, None, "me"), seconds=1)


def states(world: World, *runs: RunRecord) -> list[str]:
    return [world.state(run) for run in runs]


def test_a_cleared_run_takes_the_place_of_a_later_run_that_waits_for_it() -> None:
    world = World(dag_record([PAST, TaskSpec(task_id="b", upstream=("a",))], max_active_runs=1))
    first, second = two_runs(world)
    clear(world, first)
    assert states(world, first, second) == ["running", "queued"]
    assert world.runs[second.run_pk].started_at is None
    assert tell_run(world.engine_state, second.run_pk, world.now) == [
        "queued: max_active_runs=1 is reached by 1 running run"
    ]
    world.end("a")
    assert [attempt.run.run_pk for attempt in world.live()] == [first.run_pk], (
        "the tasks of the second run wait for the end of the first"
    )
    world.end("b")
    assert states(world, first, second) == ["success", "running"]
    world.end("a")
    world.end("b")
    assert states(world, first, second) == ["success", "success"]


def test_a_later_run_that_still_works_keeps_its_place_until_it_can_only_wait() -> None:
    world = World(dag_record([PAST, TaskSpec(task_id="x"), TaskSpec(task_id="y", upstream=("x",))], max_active_runs=1))
    first = world.start()
    second = world.start(run_after=world.now + 1)
    world.end("a", "failed")
    world.end("x")
    world.end("y")
    clear(world, first)
    assert states(world, first, second) == ["queued", "running"]
    assert tell_run(world.engine_state, first.run_pk, world.now) == [
        "queued: max_active_runs=1 is reached by 1 running run"
    ]
    world.end("x")
    assert states(world, first, second) == ["queued", "running"]
    world.end("y")
    assert states(world, first, second) == ["running", "queued"]
    for task_id in ("a", "x", "y"):
        world.end(task_id)
    assert world.states(second) == {"a": "queued", "x": "success", "y": "success"}
    world.end("a")
    assert states(world, first, second) == ["success", "success"]


def test_a_task_that_was_cleared_while_it_ran_may_be_the_last_that_was_under_way() -> None:
    world = World(
        dag_record([PAST, TaskSpec(task_id="x"), TaskSpec(task_id="z", depends_on_past=True)], max_active_runs=2)
    )
    first, second, third = (world.start(run_after=world.now + number - 5) for number in range(3))
    assert states(world, first, second, third) == ["running", "running", "queued"]
    for attempt in list(world.live()):
        if attempt.run.run_pk == first.run_pk:
            world.step(world.result(attempt, "failed"), seconds=1)
    assert states(world, first, second, third) == ["failed", "running", "running"]
    clear(world, first)
    assert states(world, first, second, third) == ["queued", "running", "running"]
    for attempt in list(world.live("x")):
        if attempt.run.run_pk == third.run_pk:
            world.step(world.result(attempt))
    assert states(world, first, second, third) == ["running", "running", "queued"]


def test_a_later_run_gives_way_to_none_but_earlier_runs() -> None:
    world = World(dag_record([PAST], max_active_runs=1))
    _, second = two_runs(world)
    third = world.start(run_after=world.now + 5)
    world.step(seconds=10)
    assert states(world, second, third) == ["running", "queued"]


def test_without_tasks_that_depend_on_the_past_a_run_keeps_its_place() -> None:
    world = World(dag_record(chain("a"), max_active_runs=1))
    first, second = two_runs(world)
    clear(world, first)
    assert states(world, first, second) == ["queued", "running"]


def test_a_requeued_run_is_read_again_as_it_is_in_memory_and_keeps_its_deadline() -> None:
    tasks = [PAST, TaskSpec(task_id="m", upstream=("a",), expansion=literal(3))]
    world = World(
        dag_record(tasks, max_active_runs=1, deadlines=(DeadlineSpec(reference="queued_at", interval_s=60.0),))
    )
    first, second = two_runs(world)
    assert world.indices_of(second, "m") == {0: None, 1: None, 2: None}
    clear(world, first)
    assert snapshot(world.fresh_engine_state()) == snapshot(world.engine_state)
    world.loaded = []
    world.step(seconds=70)
    assert [str(deadline.state) for key, deadline in sorted(world.deadlines.items()) if key[0] == second.run_pk] == [
        "missed"
    ]
    world.take_over()
    world.end("a")
    world.end_all("m")
    assert states(world, first, second) == ["success", "running"]
    assert world.indices_of(second, "m") == {0: None, 1: None, 2: None}


def test_a_run_that_gave_its_place_does_not_cancel_the_cleared_run_that_took_it() -> None:
    """With overlap="cancel_running" a due run cancels the runs that were running when it was due, not the run for which it waits."""
    world = World(dag_record([PAST], max_active_runs=1, overlap="cancel_running"))
    first = world.start()
    world.end("a", "failed")
    second = world.new_run(run_after=world.now + 1)
    second.run_type = world.runs[second.run_pk].run_type = DagRunType.SCHEDULED
    world.step(e.RunRead(second), seconds=1)
    clear(world, first)
    assert states(world, first, second) == ["running", "queued"]
    world.take_over()
    world.step(seconds=1)
    assert states(world, first, second) == ["running", "queued"]
    world.end("a")
    assert states(world, first, second) == ["success", "running"]


def test_within_a_backfill_its_own_limit_is_given_to_the_earlier_run() -> None:
    world = World(dag_record([PAST], max_active_runs=1))
    world.step(
        e.BackfillRead(BackfillRecord(9, 1, GROUP, 0, 10**9, "none", 1, False, {}, 10**9, "ann", is_planned=True))
    )
    runs = []
    for number in range(2):
        run = world.new_run(run_after=world.now + number - 5)
        for record in (run, world.runs[run.run_pk]):
            record.run_type, record.backfill_pk = DagRunType.BACKFILL, 9
        world.step(e.RunRead(run))
        runs.append(run)
    world.end("a", "failed")
    assert states(world, *runs) == ["failed", "running"]
    clear(world, runs[0])
    assert states(world, *runs) == ["running", "queued"]
    world.end("a")
    world.end("a")
    assert states(world, *runs) == ["success", "success"]


def test_the_listeners_of_the_start_of_a_run_are_owed_again_when_it_starts_again() -> None:
    world = World(dag_record([PAST], max_active_runs=1, run_listeners=(CallbackKind.RUN_STARTED.value,)))
    first, second = two_runs(world)

    def pending() -> list[int]:
        return [callback.run_pk for _, callback in sorted(world.callbacks.items())]

    before = pending()
    clear(world, first)
    assert states(world, first, second) == ["running", "queued"]
    world.end("a")
    assert states(world, first, second) == ["success", "running"]
    assert (before, pending()[len(before) :]) == ([first.run_pk, second.run_pk], [first.run_pk, second.run_pk])


def set_limit(world: World, limit: int) -> None:
    dag = copy.deepcopy(world.dags[1])
    dag.spec = replace(dag.spec, max_active_runs=limit)
    dag.version_pk += 1
    world.dags[1] = dag
    world.step(e.DagRead(copy.deepcopy(dag)), seconds=1)


def test_after_the_limit_was_lowered_an_earlier_run_starts_only_when_enough_later_runs_gave_their_places() -> None:
    world = World(dag_record([PAST, TaskSpec(task_id="x", upstream=("a",))], max_active_runs=3))
    runs = [world.start(run_after=world.now + number - 5) for number in range(3)]
    world.end("a", "failed")
    assert states(world, *runs) == ["failed", "running", "running"]
    set_limit(world, 1)
    clear(world, runs[0])
    assert states(world, *runs) == ["running", "queued", "queued"]
    for index in range(3):
        world.end("a")
        world.end("x")
        assert states(world, *runs)[: index + 1] == ["success"] * (index + 1)


def test_a_later_run_that_works_keeps_out_an_earlier_one_after_the_limit_was_lowered() -> None:
    world = World(dag_record([PAST, TaskSpec(task_id="x")], max_active_runs=3))
    runs = [world.start(run_after=world.now + number - 5) for number in range(3)]
    world.end("a", "failed")
    for attempt in list(world.live("x")):
        if attempt.run.run_pk != runs[1].run_pk:
            world.step(world.result(attempt))
    assert states(world, *runs) == ["failed", "running", "running"]
    set_limit(world, 1)
    clear(world, runs[0])
    assert states(world, *runs) == ["queued", "running", "queued"], "the second run still works"
    world.end("x")
    assert states(world, *runs) == ["running", "queued", "queued"]


@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(15, 30))])
def test_no_earlier_run_is_kept_out_by_runs_that_can_only_wait(seed: int) -> None:
    rng = random.Random(seed)
    tasks = [*random_tasks(rng), TaskSpec(task_id="past", depends_on_past=True)]
    world = World(
        dag_record(tasks, **random_groups(rng), max_active_runs=rng.choice((1, 2))), pools=[PoolRecord("small", 2, 0)]
    )
    for _ in range(60):
        play(world, rng)
        if rng.random() < 0.15:
            ended = [run for run in world.runs.values() if str(run.state) in ("failed", "success")]
            if ended:
                clear(world, rng.choice(ended))
        if rng.random() < 0.1:
            set_limit(world, rng.choice((1, 2, 4)))
        was_running = world.engine_state.dags[1].running_runs.copy()
        world.step()
        dag = world.engine_state.dags[1]
        queued = [run for run in dag.runs.values() if not run.is_running]
        assert dag.running_count <= max(dag.graph.spec.max_active_runs, len(was_running))
        if len(was_running) > dag.graph.spec.max_active_runs:
            assert set(dag.running_runs) <= set(was_running), (
                f"seed {seed}: a run started although the limit was reached"
            )
        for run in map(dag.runs.__getitem__, dag.running_runs) if dag.hold_reason is None else ():
            assert not (can_only_wait(run) and any(other.sort_key < run.sort_key for other in queued)), f"seed {seed}"
        again = world.fresh_engine_state()
        world.loaded = []
        assert snapshot(again) == snapshot(world.engine_state), f"seed {seed}"
