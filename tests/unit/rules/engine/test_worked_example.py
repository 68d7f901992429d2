"""The worked example in the docstring of `gnomon.rules.engine`: a chain of two tasks, one event at a time."""

from __future__ import annotations

from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult

from .world import World, chain, dag_record


def _rows(result: StepResult) -> dict[int, str]:
    return {row.task_no: str(row.state) for row in result.changes.tasks}


def _submits(result: StepResult) -> dict[str, list[str]]:
    return {worker_id: [attempt.attempt_id for attempt in attempts] for worker_id, attempts in result.submits.items()}


def test_the_worked_example_of_the_package_is_what_the_engine_does() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.new_run()

    result = world.step(e.RunRead(run))
    assert (_rows(result), _submits(result), [str(r.state) for r in result.changes.runs]) == (
        {0: "queued"},
        {"w": ["a0"]},
        ["running"],
    )
    (first,) = world.live()

    result = world.step(e.AuthorCodeEntered("a0", world.now))
    assert (_rows(result), _submits(result)) == ({0: "running"}, {})

    result = world.step(world.result(first))
    assert (_rows(result), _submits(result)) == ({0: "success", 1: "queued"}, {"w": ["a1"]})
    assert result.acknowledges == {"w": ["a0"]}
    assert [record.attempt for record in result.changes.attempts] == ["a0"]
    (second,) = world.live()

    result = world.step(e.AuthorCodeEntered("a1", world.now))
    assert _rows(result) == {1: "running"}

    result = world.step(world.result(second))
    assert (_rows(result), [str(r.state) for r in result.changes.runs]) == ({1: "success"}, ["success"])
    assert world.engine_state.runs == {}
