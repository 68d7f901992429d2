"""Marking: what failed below a marked task instance runs again, and a marked run ends what has begun and skips the rest."""

from __future__ import annotations

import copy

import pytest

from gnomon.model.records import RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

from .mapped_dags import GROUP, IN_GROUP
from .world import World, chain, dag_record


def _read_again(world: World, run: RunRecord) -> list[e.EngineEvent]:
    """The run as a request reads it when it has ended."""
    return [
        e.RunRead(
            copy.deepcopy(world.runs[run.run_pk]),
            tuple(copy.copy(row) for key, row in world.rows.items() if key.run_pk == run.run_pk),
        )
    ]


@pytest.mark.parametrize("state", ["success", "skipped", "failed"])
def test_what_failed_below_a_marked_task_is_cleared(state: str) -> None:
    tasks = [
        TaskSpec(task_id="a"),
        TaskSpec(task_id="b", upstream=("a",)),
        TaskSpec(task_id="c", upstream=("b",), trigger_rule="all_done"),
        TaskSpec(task_id="d"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("d", "failed")
    world.end("a", "success")
    world.end("b", "failed")
    world.end("c", "failed")
    assert world.state(run) == "failed"
    world.step(*_read_again(world, run), e.MarkTasks(run.run_pk, (world.key(run, "b"),), state, "ann", 3))
    if state == "failed":  # it was failed: nothing changes, and nothing runs again
        assert world.state(run) == "failed" and world.states(run)["c"] == "failed"
        return
    assert [attempt.task_id for attempt in world.live()] == ["c"], "also a task that ran and failed, as in Airflow"
    assert world.states(run)["d"] == "failed", "what does not stand below it is left"
    world.end("c", "success")
    assert world.state(run) == "failed" and world.states(run) == {
        "a": "success",
        "b": state,
        "c": "success",
        "d": "failed",
    }


def test_an_ended_run_is_queued_again_and_succeeds() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    world.end("a", "failed")
    assert world.state(run) == "failed" and world.states(run) == {
        "a": "failed",
        "b": "upstream_failed",
        "c": "upstream_failed",
    }
    world.step(*_read_again(world, run), e.MarkTasks(run.run_pk, (world.key(run, "a"),), "success", "ann", 3))
    assert (3, "done", '{"marked": ["a"], "cleared": ["b", "c"]}') in world.answers
    world.end("b", "success")
    world.end("c", "success")
    assert world.state(run) == "success" and world.runs[run.run_pk].clear_number == 1


def test_the_instances_that_are_marked_themselves_are_not_cleared() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    run = world.start()
    world.end("a", "failed")
    world.step(
        *_read_again(world, run),
        e.MarkTasks(run.run_pk, (world.key(run, "a"), world.key(run, "b")), "success", "ann", 3),
    )
    assert world.states(run)["b"] == "success" and [attempt.task_id for attempt in world.live()] == ["c"]


def test_of_a_mapped_group_only_the_same_index_continues() -> None:
    world = World(dag_record(IN_GROUP, **GROUP))
    run = world.start()
    world.end("u", "success", return_length=3)
    for attempt in [one for one in world.live() if one.task_id == "a"]:
        world.step(world.result(attempt, "failed"))
    assert world.state(run) == "failed"
    world.step(*_read_again(world, run), e.MarkTasks(run.run_pk, (world.key(run, "a", 1),), "success", "ann"))
    assert [(attempt.task_id, attempt.map_index) for attempt in world.live()] == [("b", 1)]


@pytest.mark.parametrize("state", ["success", "failed"])
def test_a_marked_run_ends_what_has_begun_skips_what_has_not_and_keeps_what_has_ended(state: str) -> None:
    tasks = [
        TaskSpec(task_id="ended"),
        TaskSpec(task_id="lost"),
        TaskSpec(task_id="live"),
        TaskSpec(task_id="pokes"),
        TaskSpec(task_id="again", retries=1, retry_delay_s=900.0),
        TaskSpec(task_id="next", upstream=("live",)),
        TaskSpec(task_id="behind", upstream=("lost",)),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("ended", "success")
    world.end("lost", "failed")
    world.end("again", "failed")
    world.end("pokes", "up_for_reschedule", resume_at=world.now + 900_000_000)
    assert world.states(run)["pokes"] == "up_for_reschedule" and world.states(run)["again"] == "up_for_retry"
    world.step(e.MarkRun(run.run_pk, state, "ann", 3))
    assert world.state(run) == state
    assert world.states(run) == {
        "ended": "success",
        "lost": "failed",
        "live": state,
        "pokes": state,
        "again": "skipped",
        "next": "skipped",
        "behind": "upstream_failed",
    }
    assert world.rows[world.key(run, "next")].try_number == 0
